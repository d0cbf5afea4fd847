// Latencies as counts of rounded nanoseconds: docs/contract.md, clause 7.5.

using System.Collections.Generic;
using System.Linq;

namespace Autostrada.Kit
{
    /// <summary>Number of messages per rounded latency.</summary>
    public sealed class Latencies
    {
        readonly Dictionary<long, long> _counts = new Dictionary<long, long>();

        /// <summary>Rounds to three significant digits; a half is rounded up.</summary>
        public static ulong Round(long latencyNs)
        {
            var latency = (ulong)latencyNs;
            ulong unit = 1;
            while (latency / unit >= 1000)
            {
                unit *= 10;
            }
            // Unsigned, because adding half a unit may exceed the range of a long.
            return (latency + unit / 2) / unit * unit;
        }

        /// <summary>Counts one latency in nanoseconds, which must not be negative.</summary>
        public void Record(long latencyNs)
        {
            Add((long)Round(latencyNs), 1);
        }

        /// <summary>Adds the counts of another object.</summary>
        public void Merge(Latencies other)
        {
            foreach (var pair in other._counts)
            {
                Add(pair.Key, pair.Value);
            }
        }

        /// <summary>Returns the counts by latency as a JSON object.</summary>
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
