// Reads stock records from a CSV file: docs/contract.md, clause 7.1.

using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;

namespace Autostrada.Kit
{
    /// <summary>One record.</summary>
    public sealed class Stock
    {
        const string CsvHead = "date,open,high,low,close,volume";

        public readonly double Open;
        public readonly double High;
        public readonly double Low;
        public readonly double Close;
        public readonly long Volume;

        Stock(string line)
        {
            var fields = line.Split(',');
            var isRecord = fields.Length == 6
                && fields.Skip(1).Take(4).All(IsPrice)
                && IsNumber(fields[5], 15);
            if (!isRecord)
            {
                throw new FormatException($"has a line that is no record: '{line}'");
            }
            Open = ParsePrice(fields[1]);
            High = ParsePrice(fields[2]);
            Low = ParsePrice(fields[3]);
            Close = ParsePrice(fields[4]);
            Volume = long.Parse(fields[5], CultureInfo.InvariantCulture);
        }

        /// <summary>Parses the content of a file; throws a FormatException if it is
        /// malformed.</summary>
        public static List<Stock> ParseAll(string text)
        {
            var lines = text.Split('\n');
            var last = lines[lines.Length - 1] == "" ? lines.Length - 1 : lines.Length;
            if (lines[0] != CsvHead || last < 2)
            {
                throw new FormatException($"must have the line {CsvHead} at its head, and records");
            }
            var stocks = new List<Stock>();
            for (var i = 1; i < last; i += 1)
            {
                stocks.Add(new Stock(lines[i]));
            }
            return stocks;
        }

        /// <summary>Appends the record as a JSON object; prices have two decimals.</summary>
        public void AppendTo(StringBuilder text)
        {
            text.Append("{\"open\":").Append(PriceOf(Open));
            text.Append(",\"high\":").Append(PriceOf(High));
            text.Append(",\"low\":").Append(PriceOf(Low));
            text.Append(",\"close\":").Append(PriceOf(Close));
            text.Append(",\"volume\":").Append(Volume).Append('}');
        }

        /// <summary>Writes the record as five words of 8 bytes each.</summary>
        public void CopyTo(byte[] target, int offset)
        {
            BigEndian.Write(target, offset, BitConverter.DoubleToInt64Bits(Open), 8);
            BigEndian.Write(target, offset + 8, BitConverter.DoubleToInt64Bits(High), 8);
            BigEndian.Write(target, offset + 16, BitConverter.DoubleToInt64Bits(Low), 8);
            BigEndian.Write(target, offset + 24, BitConverter.DoubleToInt64Bits(Close), 8);
            BigEndian.Write(target, offset + 32, Volume, 8);
        }

        static string PriceOf(double price)
        {
            return price.ToString("F2", CultureInfo.InvariantCulture);
        }

        static double ParsePrice(string field)
        {
            return double.Parse(field, CultureInfo.InvariantCulture);
        }

        static bool IsPrice(string field)
        {
            var point = field.Length - 3;
            return point >= 1
                && field[point] == '.'
                && IsNumber(field.Substring(0, point), 7)
                && IsNumber(field.Substring(point + 1), 2);
        }

        static bool IsNumber(string field, int digitsMax)
        {
            return field.Length >= 1
                && field.Length <= digitsMax
                && field.All(character => character >= '0' && character <= '9');
        }
    }
}
