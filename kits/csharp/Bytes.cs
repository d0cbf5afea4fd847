// Encodes and decodes numbers as 8-byte words and as decimal digits.

using System;

namespace Autostrada.Kit
{
    static class BigEndian
    {
        public static void Write(byte[] target, int offset, long value, int bytes)
        {
            for (var i = offset + bytes - 1; i >= offset; i -= 1)
            {
                target[i] = (byte)value;
                value >>= 8;
            }
        }

        public static long Read(ArraySegment<byte> message, int offset, int bytes)
        {
            long value = 0;
            for (var i = message.Offset + offset; i < message.Offset + offset + bytes; i += 1)
            {
                value = value << 8 | message.Array[i];
            }
            return value;
        }
    }

    /// <summary>Reads text sequentially, byte by byte.</summary>
    struct TextReader
    {
        const int DigitsMax = 19;
        readonly byte[] _bytes;
        readonly int _end;
        int _position;

        public TextReader(ArraySegment<byte> text)
        {
            _bytes = text.Array;
            _position = text.Offset;
            _end = text.Offset + text.Count;
        }

        /// <summary>Reads a number below 2^63 that has no leading zeros.</summary>
        public long ReadDigits()
        {
            var first = _position;
            ulong value = 0;
            while (_position < _end && _bytes[_position] >= '0' && _bytes[_position] <= '9')
            {
                value = unchecked(value * 10 + (ulong)(_bytes[_position] - '0'));
                _position += 1;
            }
            var digits = _position - first;
            var hasLeadingZero = digits > 1 && _bytes[first] == '0';
            if (digits == 0 || digits > DigitsMax || hasLeadingZero || value > long.MaxValue)
            {
                throw new WrongMessageException();
            }
            return (long)value;
        }

        public void Expect(string text)
        {
            foreach (var character in text)
            {
                if (_position == _end || _bytes[_position] != character)
                {
                    throw new WrongMessageException();
                }
                _position += 1;
            }
        }

        /// <summary>Moves to the last <c>bytes</c> bytes.</summary>
        public void SkipToLast(int bytes)
        {
            if (_end - _position < bytes)
            {
                throw new WrongMessageException();
            }
            _position = _end - bytes;
        }

        public void ExpectEnd()
        {
            if (_position != _end)
            {
                throw new WrongMessageException();
            }
        }
    }
}
