// One connection's events: docs/contract.md, section 6.

using System;
using System.Globalization;
using System.Text;
using System.Text.RegularExpressions;
using System.Threading.Tasks;

namespace Autostrada.Kit
{
    /// <summary>One connection's events. One task sends them, another one takes the answers.</summary>
    public sealed class Bot
    {
        static readonly Regex Stamped = new Regex(@"\A[0-9]{20} ");

        public readonly Latencies Latencies = new Latencies();

        readonly Bots _bots;
        readonly long _connection;
        readonly object _lock = new object();
        long _sent;
        // The number of the first event that is not answered.
        long _unanswered;

        internal Bot(Bots bots, long connection)
        {
            _bots = bots;
            _connection = connection;
        }

        public long Wrong { get; private set; }

        /// <summary>How many were sent of those that were due within the window.</summary>
        public long Counted { get; private set; }

        /// <summary>
        /// Sends all events when they are due, in UTF-8, and takes the answers, until the last one
        /// has come or has been waited for long enough. <c>receive</c> must call Answered with each
        /// answer, until that returns false. What the two throw is thrown.
        /// </summary>
        public async Task PlayAsync(Func<ArraySegment<byte>, Task> send, Func<Task> receive)
        {
            await _bots.Begun.Task;
            var receiving = receive();
            var sending = SendAsync(send);
            // Whichever fails first is what is thrown.
            await await Task.WhenAny(receiving, sending);
            await sending;
            if (!IsOver())
            {
                var drained = Clock.WaitAsync(EndNs() + _bots.Settings.DrainNs - _bots.Now());
                await await Task.WhenAny(receiving, drained);
            }
        }

        /// <summary>Judges an answer; returns false when it was the last one.</summary>
        public bool Answered(ArraySegment<byte> answer, bool isText)
        {
            var nowNs = _bots.Now();
            lock (_lock)
            {
                var text = isText ? Decode(answer) : "";
                if (!Stamped.IsMatch(text) || !IsExpected(text, out var number))
                {
                    Wrong += 1;
                    return true;
                }
                _unanswered = number + 1;
                if (IsCounted(number))
                {
                    Latencies.Record(nowNs - DueNs(number));
                }
                return !IsOver();
            }
        }

        /// <summary>Returns when the next event is due; null: there are no more.</summary>
        public long? NextDueNs()
        {
            lock (_lock)
            {
                return HasSentAll() ? (long?)null : DueNs(_sent);
            }
        }

        /// <summary>Returns the text that is to be sent now.</summary>
        public string NextEvent()
        {
            lock (_lock)
            {
                var number = _sent;
                _sent += 1;
                Counted += IsCounted(number) ? 1 : 0;
                return Bots.Stamp(number, DueNs(number), _bots.Settings.Echo.Payload);
            }
        }

        async Task SendAsync(Func<ArraySegment<byte>, Task> send)
        {
            for (var dueNs = NextDueNs(); dueNs != null; dueNs = NextDueNs())
            {
                var leftNs = dueNs.Value - _bots.Now();
                if (leftNs > 0)
                {
                    await Clock.WaitAsync(leftNs);
                }
                else
                {
                    await send(new ArraySegment<byte>(Encoding.UTF8.GetBytes(NextEvent())));
                }
            }
        }

        static string Decode(ArraySegment<byte> answer)
        {
            return Encoding.UTF8.GetString(answer.Array, answer.Offset, answer.Count);
        }

        bool IsExpected(string text, out long number)
        {
            return long.TryParse(
                    text.Substring(0, 20), NumberStyles.None, CultureInfo.InvariantCulture, out number)
                && number >= _unanswered
                && number < _sent
                && text == Bots.Stamp(number, DueNs(number), _bots.Settings.Echo.Payload);
        }

        bool IsOver()
        {
            lock (_lock)
            {
                return HasSentAll() && _unanswered == _sent;
            }
        }

        bool HasSentAll()
        {
            return DueNs(_sent) >= EndNs();
        }

        bool IsCounted(long number)
        {
            var dueNs = DueNs(number);
            return dueNs >= EndNs() - _bots.Settings.Echo.WindowNs && dueNs < EndNs();
        }

        long EndNs()
        {
            var echo = _bots.Settings.Echo;
            return _bots.Begun.Task.Result + echo.WarmUpNs + echo.WindowNs;
        }

        long DueNs(long number)
        {
            return Bots.DueNs(
                _bots.Begun.Task.Result, _bots.Settings.EveryNs, _connection, _bots.Connections,
                number);
        }
    }
}
