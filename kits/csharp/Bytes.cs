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

    /// <summary>Reads text sequentially.</summary>
    struct TextReader
    {
        const int DigitsMax = 19;
        readonly string _text;
        int _position;

        public TextReader(string text)
        {
            _text = text;
            _position = 0;
        }

        /// <summary>Reads a number below 2^63 that has no leading zeros.</summary>
        public long ReadDigits()
        {
            var first = _position;
            ulong value = 0;
            while (_position < _text.Length && _text[_position] >= '0' && _text[_position] <= '9')
            {
                value = unchecked(value * 10 + (ulong)(_text[_position] - '0'));
                _position += 1;
            }
            var digits = _position - first;
            var hasLeadingZero = digits > 1 && _text[first] == '0';
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
                if (_position == _text.Length || _text[_position] != character)
                {
                    throw new WrongMessageException();
                }
                _position += 1;
            }
        }

        /// <summary>Moves to the last <c>characters</c> characters.</summary>
        public void SkipToLast(int characters)
        {
            if (_text.Length - _position < characters)
            {
                throw new WrongMessageException();
            }
            _position = _text.Length - characters;
        }

        public void ExpectEnd()
        {
            if (_position != _text.Length)
            {
                throw new WrongMessageException();
            }
        }
    }
}
