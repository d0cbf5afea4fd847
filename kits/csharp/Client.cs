// Reads the settings of a client, runs its connections, counts their messages and prints the result:
// docs/contract.md, section 3.

using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Threading.Tasks;

namespace Autostrada.Kit
{
    /// <summary>What a client does after a message.</summary>
    public enum Next
    {
        /// <summary>It receives the next message.</summary>
        Receive,

        /// <summary>It sends the message back.</summary>
        Reply,

        /// <summary>It starts the closing handshake with code 1000.</summary>
        Close,
    }

    public sealed class Client
    {
        const long SecondNs = 1000000000;

        public readonly Uri Url;

        internal readonly bool IsReplying;
        internal readonly long Messages;

        readonly long _connections;
        readonly List<Connection> _opened = new List<Connection>();
        long _openedNs;

        Client()
        {
            Url = Variables.ReadUrl();
            IsReplying = Variables.ReadChoice("VERB", "count", "reply") == "reply";
            Messages = Variables.Has("MESSAGES") ? Variables.ReadCount("MESSAGES") : long.MaxValue;
            _connections = Variables.ReadCount("CONNECTIONS", "1", int.MaxValue);
        }

        /// <summary>
        /// Calls a function once per connection, each as a task, and prints the result. The function
        /// opens the connection and returns when it has ended; an exception ends the program.
        /// </summary>
        public static void Run(Func<Client, Task> open)
        {
            Programs.Run(() =>
            {
                var client = new Client();
                var tasks = Enumerable.Range(0, (int)client._connections)
                    .Select(_ => client.OpenAsync(open));
                Task.WaitAll(tasks.ToArray());
                client.PrintResult();
            });
        }

        /// <summary>Must be called as soon as the library reports that a connection is
        /// open.</summary>
        public Connection Opened()
        {
            lock (_opened)
            {
                if (_opened.Count == 0)
                {
                    _openedNs = NowNs();
                }
                _opened.Add(new Connection(this));
                return _opened.Last();
            }
        }

        void PrintResult()
        {
            var receivedNs = Math.Min(_opened.Max(each => each.ReceivedNs), NowNs());
            Console.WriteLine(
                $"{{\"event\":\"result\",\"connections\":{_opened.Count},"
                + $"\"messages\":{_opened.Sum(each => each.Messages)},"
                + $"\"opened_ns\":{_openedNs},\"received_ns\":{receivedNs}}}");
        }

        async Task OpenAsync(Func<Client, Task> open)
        {
            try
            {
                await open(this);
            }
            catch (Exception error)
            {
                // At once, while other connections are still open.
                Programs.Exit(error);
            }
        }

        /// <summary>Returns the time of CLOCK_MONOTONIC, in nanoseconds.</summary>
        internal static long NowNs()
        {
            return Stopwatch.GetTimestamp() * (SecondNs / Stopwatch.Frequency);
        }
    }

    /// <summary>Counts the messages of one connection, for one thread at a time.</summary>
    public sealed class Connection
    {
        readonly Client _client;

        internal Connection(Client client)
        {
            _client = client;
        }

        internal long Messages { get; private set; }

        /// <summary>Instant of the last message wanted; before that, the largest value. Other
        /// messages are not timed.</summary>
        internal long ReceivedNs { get; private set; } = long.MaxValue;

        /// <summary>Counts a message; returns what to do then.</summary>
        public Next Received()
        {
            if (_client.IsReplying)
            {
                Messages += 1;
                return Next.Reply;
            }
            // The library may deliver more while the connection closes.
            if (Messages == _client.Messages)
            {
                return Next.Receive;
            }
            Messages += 1;
            if (Messages < _client.Messages)
            {
                return Next.Receive;
            }
            ReceivedNs = Client.NowNs();
            return Next.Close;
        }
    }
}
