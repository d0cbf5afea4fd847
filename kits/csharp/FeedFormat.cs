// Encodes and decodes the messages of a feed: docs/contract.md, section 7.

using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;

namespace Autostrada.Kit
{
    /// <summary>Thrown for a message that is not a message of the feed.</summary>
    public sealed class WrongMessageException : Exception { }

    /// <summary>The sequence number and the time in a message; null if its kind has none.</summary>
    public struct Heading
    {
        public long? Number;
        public long? TimeNs;
    }

    /// <summary>The kind and the encoding of a feed's messages.</summary>
    public sealed class FeedFormat
    {
        const long NumberMax = (1L << 53) - 1;
        const int HeadBytes = 20;
        const int RecordBytes = 40;
        static readonly byte[] Greeting = Encoding.UTF8.GetBytes("hello world");

        public readonly string Kind;

        /// <summary>Whether messages are text; otherwise they are binary.</summary>
        public readonly bool IsText;

        public FeedFormat(string kind, string encoding)
        {
            Kind = kind;
            IsText = encoding == "json";
        }

        /// <summary>Reads the variables of a feed; returns null if FEED is not set.</summary>
        public static FeedFormat Read(Variables variables)
        {
            if (!variables.Has("FEED"))
            {
                return null;
            }
            var kind = variables.ReadChoice("FEED", "hello", "sequence", "clock", "stocks");
            return new FeedFormat(kind, variables.ReadChoice("ENCODING", "json", "binary"));
        }

        public bool HasNumber => Kind == "sequence" || Kind == "stocks";

        public bool HasInstant => Kind == "clock" || Kind == "stocks";

        /// <summary>Returns an encoded message. Only messages of kind stocks use the
        /// records.</summary>
        public byte[] Encode(long number, long timeNs, IReadOnlyList<Stock> stocks = null)
        {
            if (Kind == "hello")
            {
                return Greeting;
            }
            if (Kind == "stocks")
            {
                return IsText
                    ? EncodeText(number, timeNs, stocks)
                    : EncodeBinary(number, timeNs, stocks);
            }
            var value = Kind == "sequence" ? number : timeNs;
            if (IsText)
            {
                return Encoding.UTF8.GetBytes(value.ToString(CultureInfo.InvariantCulture));
            }
            var message = new byte[8];
            BigEndian.Write(message, 0, value, 8);
            return message;
        }

        /// <summary>Returns the message's number and time; throws WrongMessageException if it is
        /// not of this feed.</summary>
        public Heading Decode(ArraySegment<byte> message, bool isText)
        {
            if (isText != IsText)
            {
                throw new WrongMessageException();
            }
            if (Kind == "hello")
            {
                return message.SequenceEqual(Greeting) ? new Heading() : throw new WrongMessageException();
            }
            Heading heading;
            if (Kind == "stocks")
            {
                heading = IsText ? DecodeText(message) : DecodeBinary(message);
            }
            else
            {
                var value = IsText ? DecodeDigits(message) : DecodeWord(message);
                heading = Kind == "sequence"
                    ? new Heading { Number = value }
                    : new Heading { TimeNs = value };
            }
            if (heading.Number > NumberMax)
            {
                throw new WrongMessageException();
            }
            return heading;
        }

        static byte[] EncodeText(long number, long timeNs, IReadOnlyList<Stock> stocks)
        {
            var text = new StringBuilder();
            text.Append("{\"sequence\":").Append(number);
            text.Append(",\"time_ns\":").Append(timeNs).Append(",\"stocks\":[");
            for (var i = 0; i < stocks.Count; i += 1)
            {
                text.Append(i == 0 ? "" : ",");
                stocks[i].AppendTo(text);
            }
            return Encoding.UTF8.GetBytes(text.Append("]}").ToString());
        }

        static byte[] EncodeBinary(long number, long timeNs, IReadOnlyList<Stock> stocks)
        {
            var message = new byte[HeadBytes + RecordBytes * stocks.Count];
            BigEndian.Write(message, 0, number, 8);
            BigEndian.Write(message, 8, timeNs, 8);
            BigEndian.Write(message, 16, stocks.Count, 4);
            for (var i = 0; i < stocks.Count; i += 1)
            {
                stocks[i].CopyTo(message, HeadBytes + RecordBytes * i);
            }
            return message;
        }

        static long DecodeDigits(ArraySegment<byte> message)
        {
            var reader = new TextReader(message);
            var value = reader.ReadDigits();
            reader.ExpectEnd();
            return value;
        }

        static long DecodeWord(ArraySegment<byte> message)
        {
            if (message.Count != 8)
            {
                throw new WrongMessageException();
            }
            return Positive(BigEndian.Read(message, 0, 8));
        }

        static Heading DecodeText(ArraySegment<byte> message)
        {
            var reader = new TextReader(message);
            reader.Expect("{\"sequence\":");
            var number = reader.ReadDigits();
            reader.Expect(",\"time_ns\":");
            var timeNs = reader.ReadDigits();
            reader.Expect(",\"stocks\":[");
            reader.SkipToLast(2);
            reader.Expect("]}");
            return new Heading { Number = number, TimeNs = timeNs };
        }

        static Heading DecodeBinary(ArraySegment<byte> message)
        {
            if (message.Count < HeadBytes)
            {
                throw new WrongMessageException();
            }
            if (message.Count != HeadBytes + RecordBytes * BigEndian.Read(message, 16, 4))
            {
                throw new WrongMessageException();
            }
            return new Heading
            {
                Number = Positive(BigEndian.Read(message, 0, 8)),
                TimeNs = Positive(BigEndian.Read(message, 8, 8)),
            };
        }

        /// <summary>Returns the word; throws if it is 2^63 or more.</summary>
        static long Positive(long word)
        {
            return word >= 0 ? word : throw new WrongMessageException();
        }
    }
}
