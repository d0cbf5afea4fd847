// Bots: connections that send when it is due. docs/contract.md, section 6.

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading.Tasks;

namespace Autostrada.Kit
{
    /// <summary>
    /// All connections' events, and the client's line.
    ///
    /// Call Opened for each connection, then PlayAsync of what it returns, and Finish when all are
    /// closed; or Fail, from any thread, when one cannot be opened or ends early.
    /// </summary>
    public sealed class Bots
    {
        public readonly Uri Url;
        public readonly long Connections;

        internal readonly BotSettings Settings;
        internal readonly Func<long> Now;
        // When all connections were open. What waits for it is not to run within Opened.
        internal readonly TaskCompletionSource<long> Begun =
            new TaskCompletionSource<long>(TaskCreationOptions.RunContinuationsAsynchronously);
        readonly TextWriter _output;
        readonly List<Bot> _opened = new List<Bot>();

        public Bots(BotSettings settings, Func<long> clock, TextWriter output)
        {
            Url = settings.Echo.Url;
            Connections = settings.Echo.Connections;
            Settings = settings;
            Now = clock;
            _output = output;
        }

        /// <summary>Makes the bots the environment asks for.</summary>
        public static Bots FromEnvironment()
        {
            return new Bots(Variables.ReadOrExit(BotSettings.Read), Clock.NowNs, Console.Out);
        }

        /// <summary>Returns when an event is due; the place is a connection's, of so many.</summary>
        public static long DueNs(
            long startNs, long everyNs, long connection, long connections, long event_)
        {
            // The product may be more than a long can say.
            var offsetNs = (long)((decimal)connection * everyNs / connections);
            return startNs + offsetNs + event_ * everyNs;
        }

        /// <summary>Returns the text of an event.</summary>
        public static string Stamp(long event_, long dueNs, string payload)
        {
            return $"{event_:D20} {dueNs:D20} {payload}";
        }

        /// <summary>Notes that a connection is open, and returns its bot.</summary>
        public Bot Opened()
        {
            lock (_opened)
            {
                var bot = new Bot(this, _opened.Count);
                _opened.Add(bot);
                if (_opened.Count == Connections)
                {
                    Begun.SetResult(Now());
                }
                return bot;
            }
        }

        /// <summary>Prints the result.</summary>
        public void Finish()
        {
            var latencies = new Latencies();
            foreach (var bot in _opened)
            {
                latencies.Merge(bot.Latencies);
            }
            _output.WriteLine(
                $"{{\"event\":\"result\",\"connections\":{_opened.Count},"
                + $"\"sent\":{_opened.Sum(each => each.Counted)},\"echoed\":{latencies.Total},"
                + $"\"wrong\":{_opened.Sum(each => each.Wrong)},"
                + $"\"window_ns\":{Settings.Echo.WindowNs},"
                + $"\"response_time_ns\":{latencies.ToJson()}}}");
            _output.Flush();
        }

        /// <summary>Exits with the reason, in one line, why the bots cannot go on.</summary>
        public void Fail(Exception error)
        {
            Clock.Exit($"cannot send to {Url}", error);
        }
    }
}
