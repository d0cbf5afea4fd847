// What one connection has received: docs/contract.md, sections 3 and 7.

using System;
using System.Threading;

namespace Autostrada.Kit
{
    /// <summary>One connection's counts. One thread at a time uses it, another one reads them.</summary>
    public sealed class ReceivingConnection
    {
        public readonly Sequence Sequence = new Sequence();
        public readonly Latencies Latencies = new Latencies();

        readonly long _wanted;
        readonly Func<long> _clock;
        readonly FeedFormat _feed;
        long _messages;
        long _bytes;
        long _receivedNs;

        public ReceivingConnection(long wanted, Func<long> clock, FeedFormat feed)
        {
            _wanted = wanted;
            _clock = clock;
            _feed = feed;
        }

        public long Messages => Volatile.Read(ref _messages);

        public long Bytes => Volatile.Read(ref _bytes);

        /// <summary>
        /// When the last message wanted came; 0 until then. The others are not timed: asking the
        /// clock costs more than all the rest of the counting.
        /// </summary>
        public long ReceivedNs => Volatile.Read(ref _receivedNs);

        public long Wrong { get; private set; }

        /// <summary>Counts one message; returns true when that is all that was wanted.</summary>
        public bool Received(ArraySegment<byte> message, bool isText)
        {
            // A library may deliver more while the connection closes. That is not counted.
            if (_messages == _wanted)
            {
                return true;
            }
            if (_feed != null)
            {
                Check(message, isText);
            }
            Volatile.Write(ref _bytes, _bytes + message.Count);
            Volatile.Write(ref _messages, _messages + 1);
            if (_messages < _wanted)
            {
                return false;
            }
            Volatile.Write(ref _receivedNs, _clock());
            return true;
        }

        void Check(ArraySegment<byte> message, bool isText)
        {
            try
            {
                var heading = _feed.Decode(message, isText);
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
