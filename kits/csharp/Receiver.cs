// Adds up the messages that a client receives and prints its lines: docs/contract.md, sections 3, 4
// and 7.

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading.Tasks;

namespace Autostrada.Kit
{
    /// <summary>
    /// Adds up the messages of all connections of a client and prints the lines.
    ///
    /// Call Opened for each connection, Received on the returned object for each message, and
    /// Finish when all connections are closed. Call Fail, from any thread, if a connection cannot
    /// be opened.
    /// </summary>
    public sealed class Receiver
    {
        public readonly Uri Url;
        public readonly long Connections;

        readonly Settings _settings;
        readonly Func<long> _clock;
        readonly TextWriter _output;
        readonly List<ReceivingConnection> _opened = new List<ReceivingConnection>();
        readonly TaskCompletionSource<bool> _isOpen = new TaskCompletionSource<bool>();
        // Held while printing, so that no line follows the result.
        readonly object _lock = new object();
        readonly string _name;
        long _openedNs;
        bool _isFinished;
        // State at the last printed line.
        long _seconds;
        long _printedMessages;
        long _printedBytes;

        public Receiver(Settings settings, string name, Func<long> clock, TextWriter output)
        {
            Url = settings.Url;
            Connections = settings.Connections;
            _settings = settings;
            _name = name;
            _clock = clock;
            _output = output;
        }

        /// <summary>Creates the receiver that the environment variables describe and starts its
        /// ticker.</summary>
        public static Receiver FromEnvironment()
        {
            var settings = Variables.ReadOrExit(Settings.Read);
            var folder = AppDomain.CurrentDomain.BaseDirectory.TrimEnd('/');
            var receiver = new Receiver(
                settings, Path.GetFileName(folder), Clock.NowNs, Console.Out);
            receiver.ReportAsync();
            return receiver;
        }

        /// <summary>Registers an open connection and returns its counts.</summary>
        public ReceivingConnection Opened()
        {
            var openedNs = _clock();
            var connection = new ReceivingConnection(_settings.Messages, _clock, _settings.Feed);
            lock (_lock)
            {
                if (_opened.Count == 0)
                {
                    _openedNs = openedNs;
                    _isOpen.SetResult(true);
                }
                _opened.Add(connection);
            }
            return connection;
        }

        /// <summary>
        /// Prints a line for each second that has ended.
        ///
        /// Returns the nanoseconds until the next second ends, or null once all messages have
        /// arrived: no second is printed after the last message.
        /// </summary>
        public long? Tick()
        {
            lock (_lock)
            {
                if (_isFinished)
                {
                    return null;
                }
                var nowNs = _clock();
                var receivedNs = AllReceivedNs();
                PrintSeconds(receivedNs ?? nowNs);
                return receivedNs == null ? NextEndNs() - nowNs : (long?)null;
            }
        }

        /// <summary>
        /// Prints the result. Nothing is printed after it.
        ///
        /// If messages are missing, received_ns is the time of this call.
        /// </summary>
        public void Finish()
        {
            lock (_lock)
            {
                var receivedNs = AllReceivedNs() ?? _clock();
                PrintSeconds(receivedNs);
                var messages = _opened.Sum(each => each.Messages);
                var bytes = BytesPair(_opened.Sum(each => each.Bytes));
                Print(_settings.Lines == "autoroute" ? Autoroute(receivedNs)
                    : $"{{\"event\":\"result\",\"connections\":{_opened.Count},"
                    + $"\"messages\":{messages}{bytes},\"opened_ns\":{_openedNs},"
                    + $"\"received_ns\":{receivedNs}{SumUp()}}}");
                _isFinished = true;
                if (_settings.Messages < long.MaxValue && messages < _settings.Messages * Connections)
                {
                    Console.Error.WriteLine(
                        $"received {messages} of {_settings.Messages * Connections} messages");
                }
            }
        }

        /// <summary>Exits with a one-line reason why nothing can be received.</summary>
        public void Fail(Exception error)
        {
            Clock.Exit($"cannot receive from {Url}", error);
        }

        async void ReportAsync()
        {
            await _isOpen.Task;
            // Code is compiled when it first runs: do that before messages arrive.
            await Clock.WaitAsync(Clock.SecondNs);
            for (var leftNs = Tick(); leftNs != null; leftNs = Tick())
            {
                await Clock.WaitAsync(leftNs.Value);
            }
        }

        long? AllReceivedNs()
        {
            var isComplete = _opened.Count == Connections
                && _opened.All(each => each.ReceivedNs != 0);
            return isComplete ? _opened.Max(each => each.ReceivedNs) : (long?)null;
        }

        long NextEndNs()
        {
            return _openedNs + (_seconds + 1) * Clock.SecondNs;
        }

        void PrintSeconds(long untilNs)
        {
            // After a stall of several seconds, the first of them is credited with all messages:
            // their times of arrival are unknown.
            while (untilNs >= NextEndNs())
            {
                var messages = _opened.Sum(each => each.Messages);
                var bytes = _opened.Sum(each => each.Bytes);
                Print(_settings.Lines == "autoroute"
                    ? $"messages received per second: {messages - _printedMessages}"
                    : $"{{\"event\":\"second\",\"second\":{_seconds},"
                    + $"\"messages\":{messages - _printedMessages}"
                    + BytesPair(bytes - _printedBytes) + "}");
                _seconds += 1;
                _printedMessages = messages;
                _printedBytes = bytes;
            }
        }

        /// <summary>Returns the key of the lines of a feed, with its value.</summary>
        string BytesPair(long bytes)
        {
            return _settings.Feed == null ? "" : $",\"bytes\":{bytes}";
        }

        string Autoroute(long receivedNs)
        {
            return $"AUTOROUTE {_name} :: {(receivedNs - _openedNs + 500000) / 1000000} ms";
        }

        /// <summary>Returns the keys of the result line that only a feed has.</summary>
        string SumUp()
        {
            var feed = _settings.Feed;
            if (feed == null)
            {
                return "";
            }
            var verdicts = new Verdicts();
            var latencies = new Latencies();
            foreach (var connection in _opened)
            {
                verdicts.Merge(connection.Sequence.Verdicts);
                latencies.Merge(connection.Latencies);
            }
            return $",\"wrong\":{_opened.Sum(each => each.Wrong)}"
                + $",\"sequence\":{(feed.HasNumber ? verdicts.ToJson() : "null")}"
                + $",\"latency_ns\":{(feed.HasInstant ? latencies.ToJson() : "null")}";
        }

        void Print(string line)
        {
            _output.WriteLine(line);
            _output.Flush();
        }
    }
}
