// Counts the messages of one connection: docs/contract.md, sections 3 and 7.

using System;
using System.Text;
using System.Threading;

namespace Autostrada.Kit
{
    /// <summary>The counts of one connection. One thread at a time writes, another one
    /// reads.</summary>
    public sealed class ReceivingConnection
    {
        public readonly Sequence Sequence = new Sequence();
        public readonly Latencies Latencies = new Latencies();

        readonly long _expected;
        readonly Func<long> _clock;
        readonly FeedFormat _feed;
        long _messages;
        long _bytes;
        long _receivedNs;

        public ReceivingConnection(long expected, Func<long> clock, FeedFormat feed)
        {
            _expected = expected;
            _clock = clock;
            _feed = feed;
        }

        public long Messages => Volatile.Read(ref _messages);

        /// <summary>Payload bytes, which are counted only for a feed.</summary>
        public long Bytes => Volatile.Read(ref _bytes);

        /// <summary>
        /// Time at which the last expected message arrived, in nanoseconds; 0 before that. Other
        /// messages are not timed, because reading the clock costs more than counting.
        /// </summary>
        public long ReceivedNs => Volatile.Read(ref _receivedNs);

        public long Wrong { get; private set; }

        /// <summary>Counts one text. Returns true once all expected messages have
        /// arrived.</summary>
        public bool Received(string text)
        {
            if (_feed != null && _messages < _expected)
            {
                Check(text);
            }
            return Count();
        }

        /// <summary>Counts one binary message. Returns true once all expected messages have
        /// arrived.</summary>
        public bool Received(ArraySegment<byte> binary)
        {
            if (_feed != null && _messages < _expected)
            {
                Check(binary);
            }
            return Count();
        }

        bool Count()
        {
            // The library may deliver more while the connection closes. These messages are not
            // counted.
            if (_messages == _expected)
            {
                return true;
            }
            Volatile.Write(ref _messages, _messages + 1);
            if (_messages < _expected)
            {
                return false;
            }
            Volatile.Write(ref _receivedNs, _clock());
            return true;
        }

        void Check(string text)
        {
            Check(Encoding.UTF8.GetByteCount(text), () => _feed.Decode(text));
        }

        void Check(ArraySegment<byte> binary)
        {
            Check(binary.Count, () => _feed.Decode(binary));
        }

        void Check(int bytes, Func<Heading> decode)
        {
            Volatile.Write(ref _bytes, _bytes + bytes);
            try
            {
                var heading = decode();
                if (heading.TimeNs != null)
                {
                    var latencyNs = _clock() - heading.TimeNs.Value;
                    if (latencyNs < 0)
                    {
                        throw new WrongMessageException();
                    }
                    Latencies.Record(latencyNs);
                }
                if (heading.Number != null)
                {
                    Sequence.Check(heading.Number.Value);
                }
            }
            catch (WrongMessageException)
            {
                Wrong += 1;
            }
        }
    }
}
