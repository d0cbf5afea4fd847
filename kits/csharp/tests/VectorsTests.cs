// Tests with the test vectors that all kits share.

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Runtime.Serialization.Json;
using System.Text;
using System.Xml;
using System.Xml.Linq;
using Autostrada.Kit;

public class VectorsTests
{
    // The tests run in the kit's folder.
    static readonly XElement Vectors = ReadVectors();

    static XElement ReadVectors()
    {
        var quotas = new XmlDictionaryReaderQuotas
        {
            MaxStringContentLength = int.MaxValue,
            MaxArrayLength = int.MaxValue,
        };
        var bytes = File.ReadAllBytes("../vectors.json");
        using (var reader = JsonReaderWriterFactory.CreateJsonReader(bytes, quotas))
        {
            return XElement.Load(reader);
        }
    }

    static IEnumerable<XElement> Cases(string name)
    {
        return Vectors.Element(name).Elements();
    }

    static string Text(XElement given, string key)
    {
        return given.Element(key).Value;
    }

    static long Number(XElement given, string key)
    {
        return long.Parse(Text(given, key));
    }

    static byte[] MessageOf(XElement given)
    {
        if (given.Element("text") != null)
        {
            return Encoding.UTF8.GetBytes(Text(given, "text"));
        }
        var hex = Text(given, "hex");
        return Enumerable.Range(0, hex.Length / 2)
            .Select(i => Convert.ToByte(hex.Substring(2 * i, 2), 16)).ToArray();
    }

    public void MessagesAreWrittenAndRead()
    {
        foreach (var given in Cases("feeds"))
        {
            var format = new FeedFormat(Text(given, "kind"), Text(given, "encoding"));
            var settings = new FeedSettings
            {
                Format = format,
                Stocks = Number(given, "stocks"),
                StocksFile = format.Kind == "stocks" ? "../stocks.csv" : null,
            };
            var number = Number(given, "number");
            var timeNs = Number(given, "time_ns");
            var message = format.Encode(number, timeNs, settings.StocksOfMessage(number));
            Expect.SameElements(MessageOf(given), message, given.ToString());
            // The message does not start at index 0 of its array.
            var padded = new byte[] { 7 }.Concat(message).Concat(new byte[] { 7 }).ToArray();
            var segment = new ArraySegment<byte>(padded, 1, message.Length);
            var heading = format.IsText
                ? format.Decode(Encoding.UTF8.GetString(message))
                : format.Decode(segment);
            Expect.Equal(format.HasNumber ? number : (long?)null, heading.Number);
            Expect.Equal(format.HasInstant ? timeNs : (long?)null, heading.TimeNs);
        }
    }

    public void WhatIsNotOfTheFeedIsWrong()
    {
        foreach (var given in Cases("wrong"))
        {
            var format = new FeedFormat(Text(given, "kind"), Text(given, "encoding"));
            var message = MessageOf(given);
            Action decode = () => format.Decode(new ArraySegment<byte>(message));
            if (given.Element("text") != null)
            {
                decode = () => format.Decode(Encoding.UTF8.GetString(message));
            }
            Expect.Throws<WrongMessageException>(decode, given.ToString());
        }
    }

    public void NumbersGetTheirVerdicts()
    {
        foreach (var given in Cases("sequences"))
        {
            var sequence = new Sequence();
            var verdicts = given.Element("numbers").Elements()
                .Select(each => sequence.Check(long.Parse(each.Value)).ToString().ToLowerInvariant())
                .ToList();
            var expected = given.Element("verdicts").Elements()
                .Select(each => each.Value.Replace("_", ""));
            Expect.SameElements(expected, verdicts, Text(given, "name"));
            var counts = given.Element("counts").Elements()
                .Select(each => $"\"{each.Name}\":{each.Value}");
            Expect.Equal("{" + string.Join(",", counts) + "}", sequence.Verdicts.ToJson());
        }
    }

    public void LatenciesAreRounded()
    {
        foreach (var pair in Cases("roundings"))
        {
            var latencies = new Latencies();
            latencies.Record(long.Parse(pair.Elements().First().Value));
            Expect.Equal($"{{\"{pair.Elements().Last().Value}\":1}}", latencies.ToJson());
        }
    }
}
