// Latencies as counts of rounded nanoseconds: docs/contract.md, clause 7.5.

using System.Collections.Generic;
using System.Linq;

namespace Autostrada.Kit
{
    /// <summary>How often each latency came.</summary>
    public sealed class Latencies
    {
        readonly Dictionary<long, long> _counts = new Dictionary<long, long>();

        /// <summary>Returns it with three significant digits, a half rounded up.</summary>
        public static ulong Round(long latencyNs)
        {
            var latency = (ulong)latencyNs;
            ulong unit = 1;
            while (latency / unit >= 1000)
            {
                unit *= 10;
            }
            // Unsigned: half a unit more may be more than a long can say.
            return (latency + unit / 2) / unit * unit;
        }

        /// <summary>Counts one; it must not be below 0.</summary>
        public void Record(long latencyNs)
        {
            Add((long)Round(latencyNs), 1);
        }

        /// <summary>Adds what another one has counted.</summary>
        public void Merge(Latencies other)
        {
            foreach (var pair in other._counts)
            {
                Add(pair.Key, pair.Value);
            }
        }

        /// <summary>Returns the counts by latency, as a JSON object.</summary>
        public string ToJson()
        {
            var pairs = _counts.OrderBy(pair => pair.Key);
            return "{" + string.Join(",", pairs.Select(pair => $"\"{pair.Key}\":{pair.Value}")) + "}";
        }

        void Add(long roundedNs, long count)
        {
            _counts.TryGetValue(roundedNs, out var counted);
            _counts[roundedNs] = counted + count;
        }
    }
}
