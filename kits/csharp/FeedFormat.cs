// The messages of a feed, written and read: docs/contract.md, section 7.

using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;

namespace Autostrada.Kit
{
    /// <summary>A message is not of the feed.</summary>
    public sealed class WrongMessageException : Exception { }

    /// <summary>What a message says of itself; what its kind does not tell is null.</summary>
    public struct Heading
    {
        public long? Number;
        public long? TimeNs;
    }

    /// <summary>What the messages of a feed are, and how they are written, as bytes.</summary>
    public sealed class FeedFormat
    {
        const long NumberMax = (1L << 53) - 1;
        const int HeadBytes = 20;
        const int RecordBytes = 40;
        static readonly byte[] Greeting = Encoding.UTF8.GetBytes("hello world");

        public readonly string Kind;

        /// <summary>Whether messages are texts; otherwise they are binary.</summary>
        public readonly bool IsText;

        public FeedFormat(string kind, string encoding)
        {
            Kind = kind;
            IsText = encoding == "json";
        }

        /// <summary>Reads the variables of a feed; null where there is none.</summary>
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

        /// <summary>Returns a message; only those of stocks need records.</summary>
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

        /// <summary>Returns what a message says of itself, or throws a WrongMessageException.</summary>
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

        /// <summary>Returns a word that is below 2^63.</summary>
        static long Positive(long word)
        {
            return word >= 0 ? word : throw new WrongMessageException();
        }
    }
}
