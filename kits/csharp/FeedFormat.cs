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
        const string Greeting = "hello world";

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
                return Encoding.UTF8.GetBytes(Greeting);
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

        /// <summary>Returns a text's number and time; throws WrongMessageException if it is not of
        /// this feed.</summary>
        public Heading Decode(string text)
        {
            if (!IsText || Kind == "hello" && text != Greeting)
            {
                throw new WrongMessageException();
            }
            return Kind == "stocks" ? DecodeText(text) : HeadingOf(() => DecodeDigits(text));
        }

        /// <summary>Returns a binary message's number and time; throws WrongMessageException if it
        /// is not of this feed.</summary>
        public Heading Decode(ArraySegment<byte> binary)
        {
            if (IsText || Kind == "hello" && !binary.SequenceEqual(Encoding.UTF8.GetBytes(Greeting)))
            {
                throw new WrongMessageException();
            }
            return Kind == "stocks" ? DecodeBinary(binary) : HeadingOf(() => DecodeWord(binary));
        }

        Heading HeadingOf(Func<long> decode)
        {
            switch (Kind)
            {
                case "sequence":
                    return new Heading { Number = Number(decode()) };
                case "clock":
                    return new Heading { TimeNs = decode() };
                default:
                    return new Heading();
            }
        }

        static long Number(long value)
        {
            return value <= NumberMax ? value : throw new WrongMessageException();
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

        static long DecodeDigits(string text)
        {
            var reader = new TextReader(text);
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

        static Heading DecodeText(string text)
        {
            var reader = new TextReader(text);
            reader.Expect("{\"sequence\":");
            var number = reader.ReadDigits();
            reader.Expect(",\"time_ns\":");
            var timeNs = reader.ReadDigits();
            reader.Expect(",\"stocks\":[");
            reader.SkipToLast(2);
            reader.Expect("]}");
            return new Heading { Number = Number(number), TimeNs = timeNs };
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
                Number = Number(Positive(BigEndian.Read(message, 0, 8))),
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
