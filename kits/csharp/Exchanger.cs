// Counts the echoes of a client and prints its line: docs/contract.md, section 5.

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using System.Threading;

namespace Autostrada.Kit
{
    /// <summary>
    /// A client's echoes, and its line.
    ///
    /// Call Opened for each connection, Answered of what it returns for each answer, and Finish
    /// when all connections are closed; or Fail, from any thread, when one cannot be opened or
    /// ends early.
    /// </summary>
    public sealed class Exchanger
    {
        public readonly Uri Url;
        public readonly long Connections;

        /// <summary>The text to send, in UTF-8.</summary>
        public readonly ArraySegment<byte> Payload;

        readonly EchoSettings _settings;
        readonly Func<long> _clock;
        readonly TextWriter _output;
        readonly List<Exchange> _opened = new List<Exchange>();
        // When the window begins; never, until the last connection is open.
        long _beginsNs = long.MaxValue;

        public Exchanger(EchoSettings settings, Func<long> clock, TextWriter output)
        {
            Url = settings.Url;
            Connections = settings.Connections;
            Payload = new ArraySegment<byte>(Encoding.UTF8.GetBytes(settings.Payload));
            _settings = settings;
            _clock = clock;
            _output = output;
        }

        /// <summary>Makes the exchanger the environment asks for.</summary>
        public static Exchanger FromEnvironment()
        {
            return new Exchanger(
                Variables.ReadOrExit(EchoSettings.Read), Clock.NowNs, Console.Out);
        }

        /// <summary>Notes that a connection is open, and returns it.</summary>
        public Exchange Opened()
        {
            var exchange = new Exchange(this);
            lock (_opened)
            {
                _opened.Add(exchange);
                if (_opened.Count == Connections)
                {
                    Volatile.Write(ref _beginsNs, _clock() + _settings.WarmUpNs);
                }
            }
            return exchange;
        }

        /// <summary>Prints the result.</summary>
        public void Finish()
        {
            _output.WriteLine(
                $"{{\"event\":\"result\",\"connections\":{_opened.Count},"
                + $"\"echoed\":{_opened.Sum(each => each.Echoed)},"
                + $"\"wrong\":{_opened.Sum(each => each.Wrong)},"
                + $"\"window_ns\":{_settings.WindowNs}}}");
            _output.Flush();
        }

        /// <summary>Exits with the reason, in one line, why there is no exchange.</summary>
        public void Fail(Exception error)
        {
            Clock.Exit($"cannot exchange with {Url}", error);
        }

        /// <summary>Returns how long ago the window has begun; below 0 before it.</summary>
        internal long ElapsedNs()
        {
            var beginsNs = Volatile.Read(ref _beginsNs);
            // Asking the clock costs little beside an echo.
            return beginsNs == long.MaxValue ? -1 : _clock() - beginsNs;
        }

        internal long WindowNs => _settings.WindowNs;
    }

    /// <summary>What has come back on one connection. One thread at a time uses it.</summary>
    public sealed class Exchange
    {
        readonly Exchanger _exchanger;

        public Exchange(Exchanger exchanger)
        {
            _exchanger = exchanger;
        }

        public long Echoed { get; private set; }

        public long Wrong { get; private set; }

        /// <summary>Counts one answer; returns true to send again, false to close.</summary>
        public bool Answered(ArraySegment<byte> answer, bool isText)
        {
            var elapsedNs = _exchanger.ElapsedNs();
            if (!isText || !IsPayload(answer))
            {
                Wrong += 1;
            }
            else if (elapsedNs >= 0 && elapsedNs < _exchanger.WindowNs)
            {
                Echoed += 1;
            }
            return elapsedNs < _exchanger.WindowNs;
        }

        bool IsPayload(ArraySegment<byte> answer)
        {
            var payload = _exchanger.Payload.Array;
            if (answer.Count != payload.Length)
            {
                return false;
            }
            for (var i = 0; i < payload.Length; i += 1)
            {
                if (answer.Array[answer.Offset + i] != payload[i])
                {
                    return false;
                }
            }
            return true;
        }
    }
}
