// Sends one feed on schedule and prints its lines: docs/contract.md, section 8.

using System;
using System.IO;
using System.Threading.Tasks;

namespace Autostrada.Kit
{
    /// <summary>One feed for one group of subscribers, from its first message to its last.</summary>
    public sealed class Feed
    {
        // Number of messages after which other tasks run: handing over a message may complete
        // synchronously.
        const int TurnMessages = 64;

        readonly FeedSettings _settings;
        readonly Func<int> _subscribed;
        readonly Func<long> _clock;
        readonly TextWriter _output;
        readonly long _startNs;
        long _number;
        long _messages;
        long _bytes;
        // State at the last printed line.
        long _seconds;
        long _printedMessages;
        long _printedBytes;

        /// <summary>Starts the feed. <c>subscribed</c> returns the number of subscribers of the
        /// next message.</summary>
        public Feed(FeedSettings settings, Func<int> subscribed, Func<long> clock, TextWriter output)
        {
            _settings = settings;
            _subscribed = subscribed;
            _clock = clock;
            _output = output;
            _startNs = clock();
        }

        /// <summary>Hands over each message when it is due, until the feed ends.</summary>
        public async Task PlayAsync(Func<byte[], Task> handOver)
        {
            for (var waitNs = WaitNs(); waitNs != null; waitNs = WaitNs())
            {
                if (waitNs > 0)
                {
                    await Clock.WaitAsync(waitNs.Value);
                    continue;
                }
                await handOver(NextMessage());
                if (_number % TurnMessages == 0)
                {
                    await Task.Yield();
                }
            }
        }

        /// <summary>Returns how long to wait, in nanoseconds. 0: a message is due. null: the feed
        /// is over.</summary>
        public long? WaitNs()
        {
            var nowNs = _clock();
            PrintSeconds(nowNs);
            var dueNs = DueNs(nowNs);
            var isOver = dueNs <= nowNs && !IsLeft(dueNs);
            if (isOver || _subscribed() == 0)
            {
                return null;
            }
            var nextSecondNs = _startNs + (_seconds + 1) * Clock.SecondNs;
            return Math.Max(0, Math.Min(dueNs, nextSecondNs) - nowNs);
        }

        /// <summary>Returns the message that is due and counts it once per subscriber.</summary>
        public byte[] NextMessage()
        {
            var number = _number;
            var stocks = _settings.StocksOfMessage(number);
            var timeNs = _settings.EveryNs == null
                ? _clock()
                : _startNs + number * _settings.EveryNs.Value;
            var message = _settings.Format.Encode(number, timeNs, stocks);
            var subscribed = _subscribed();
            _number += 1;
            _messages += subscribed;
            _bytes += (long)message.Length * subscribed;
            return message;
        }

        /// <summary>Prints the result line.</summary>
        public void Finish()
        {
            Print($"{{\"event\":\"result\",\"messages\":{_messages},\"bytes\":{_bytes}}}");
        }

        /// <summary>Returns when the next message is due.</summary>
        /// <remarks>After the last message, this is when the feed ends.</remarks>
        long DueNs(long nowNs)
        {
            return _settings.EveryNs == null
                ? nowNs
                : _startNs + _number * _settings.EveryNs.Value;
        }

        bool IsLeft(long dueNs)
        {
            var isLate = dueNs - _startNs >= _settings.DurationNs;
            return !isLate && !(_number >= _settings.Messages);
        }

        void PrintSeconds(long untilNs)
        {
            while (untilNs >= _startNs + (_seconds + 1) * Clock.SecondNs)
            {
                Print($"{{\"event\":\"second\",\"second\":{_seconds},"
                    + $"\"messages\":{_messages - _printedMessages},"
                    + $"\"bytes\":{_bytes - _printedBytes}}}");
                _seconds += 1;
                _printedMessages = _messages;
                _printedBytes = _bytes;
            }
        }

        void Print(string line)
        {
            _output.WriteLine(line);
            _output.Flush();
        }
    }
}
