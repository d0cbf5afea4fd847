// Counts a client's echoes and prints its result line: docs/contract.md, section 5.

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using System.Threading;

namespace Autostrada.Kit
{
    /// <summary>
    /// Counts the echoes of all connections of a client and prints the result line.
    ///
    /// Call Opened for each connection, Answered on the returned object for each answer, and Finish
    /// when all connections are closed. Call Fail, from any thread, if a connection cannot be
    /// opened or ends early.
    /// </summary>
    public sealed class Exchanger
    {
        public readonly Uri Url;
        public readonly long Connections;

        /// <summary>The text to send, encoded as UTF-8.</summary>
        public readonly ArraySegment<byte> Payload;

        readonly EchoSettings _settings;
        readonly Func<long> _clock;
        readonly TextWriter _output;
        readonly List<Exchange> _opened = new List<Exchange>();
        // Start of the window, in nanoseconds; long.MaxValue until the last connection is open.
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

        /// <summary>Creates the exchanger that the environment variables describe.</summary>
        public static Exchanger FromEnvironment()
        {
            return new Exchanger(
                Variables.ReadOrExit(EchoSettings.Read), Clock.NowNs, Console.Out);
        }

        /// <summary>Registers an open connection and returns its counts.</summary>
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

        /// <summary>Prints the result line.</summary>
        public void Finish()
        {
            _output.WriteLine(
                $"{{\"event\":\"result\",\"connections\":{_opened.Count},"
                + $"\"echoed\":{_opened.Sum(each => each.Echoed)},"
                + $"\"wrong\":{_opened.Sum(each => each.Wrong)},"
                + $"\"window_ns\":{_settings.WindowNs}}}");
            _output.Flush();
        }

        /// <summary>Exits with a one-line reason why the exchange is impossible.</summary>
        public void Fail(Exception error)
        {
            Clock.Exit($"cannot exchange with {Url}", error);
        }

        /// <summary>Returns the nanoseconds since the window began; negative before it
        /// began.</summary>
        internal long ElapsedNs()
        {
            var beginsNs = Volatile.Read(ref _beginsNs);
            // Reading the clock is cheap compared with an echo.
            return beginsNs == long.MaxValue ? -1 : _clock() - beginsNs;
        }

        internal long WindowNs => _settings.WindowNs;
    }

    /// <summary>Counts the echoes of one connection. Not thread-safe.</summary>
    public sealed class Exchange
    {
        readonly Exchanger _exchanger;

        public Exchange(Exchanger exchanger)
        {
            _exchanger = exchanger;
        }

        public long Echoed { get; private set; }

        public long Wrong { get; private set; }

        /// <summary>Counts one answer. Returns true to send the next message, false to
        /// close.</summary>
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
