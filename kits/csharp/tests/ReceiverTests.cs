// Tests of the counts and the printed lines, with a manual clock.

using System;
using System.IO;
using System.Linq;
using System.Text;
using Autostrada.Kit;

public class ReceiverTests
{
    const long OpenedNs = 81000000000;

    readonly StringWriter _output = new StringWriter();
    long _nowNs = OpenedNs;

    Receiver Make(long messages, long connections = 1, string lines = "json", FeedFormat feed = null)
    {
        var settings = new Settings
        {
            Url = new Uri("ws://host/1"),
            Messages = messages,
            Connections = connections,
            Lines = lines,
            Feed = feed,
        };
        return new Receiver(settings, "csharp-example", () => _nowNs, _output);
    }

    string[] Lines()
    {
        return _output.ToString().Split(new[] { '\n', '\r' }, StringSplitOptions.RemoveEmptyEntries);
    }

    public void TheResultIsTheLineOfTheContract()
    {
        var receiver = Make(2);
        var connection = receiver.Opened();
        _nowNs += 400000000;
        Expect.Equal(false, connection.Received("hello"));
        _nowNs += 83;
        Expect.Equal(true, connection.Received("grüezi"));
        _nowNs += 900000000;
        Expect.Equal(true, connection.Received("not counted"));
        receiver.Finish();
        Expect.SameElements(
            new[]
            {
                "{\"event\":\"result\",\"connections\":1,\"messages\":2,"
                + "\"opened_ns\":81000000000,\"received_ns\":81400000083}",
            },
            Lines());
    }

    public void SecondsArePrintedWhenTheyHaveEndedEvenWithoutAMessage()
    {
        var receiver = Make(10);
        var connection = receiver.Opened();
        connection.Received("hello");
        _nowNs += Clock.SecondNs - 1;
        Expect.Equal(1, receiver.Tick());
        Expect.Equal(0, Lines().Length);
        _nowNs += 1;
        Expect.Equal(Clock.SecondNs, receiver.Tick());
        _nowNs += Clock.SecondNs + 300000000;
        Expect.Equal(700000000, receiver.Tick());
        Expect.SameElements(
            new[]
            {
                "{\"event\":\"second\",\"second\":0,\"messages\":1}",
                "{\"event\":\"second\",\"second\":1,\"messages\":0}",
            },
            Lines());
    }

    public void NoSecondIsPrintedAfterTheLastMessageAndNothingAfterTheResult()
    {
        var receiver = Make(1);
        var connection = receiver.Opened();
        _nowNs += 2 * Clock.SecondNs + 5;
        connection.Received("hello");
        _nowNs += 5 * Clock.SecondNs;
        Expect.Equal((long?)null, receiver.Tick());
        receiver.Finish();
        Expect.Equal((long?)null, receiver.Tick());
        Expect.SameElements(
            new[] { "second", "second", "result" }, Lines().Select(line => line.Split('"')[3]));
    }

    public void ConnectionsAreAddedUpAndAnEarlyEndIsAResult()
    {
        var receiver = Make(2, connections: 2);
        var first = receiver.Opened();
        var second = receiver.Opened();
        first.Received("hello");
        second.Received(new ArraySegment<byte>(new byte[5]));
        _nowNs += 500;
        var errors = Console.Error;
        var captured = new StringWriter();
        Console.SetError(captured);
        receiver.Finish();
        Console.SetError(errors);
        Expect.Equal("received 2 of 4 messages", captured.ToString().Trim());
        Expect.SameElements(
            new[]
            {
                "{\"event\":\"result\",\"connections\":2,\"messages\":2,"
                + "\"opened_ns\":81000000000,\"received_ns\":81000000500}",
            },
            Lines());
    }

    static string Stocks(int number, long timeNs)
    {
        return $"{{\"sequence\":{number},\"time_ns\":{timeNs},\"stocks\":[]}}";
    }

    public void AFeedIsCheckedAndSummedUp()
    {
        var receiver = Make(long.MaxValue, connections: 2, feed: new FeedFormat("stocks", "json"));
        var texts = new[]
        {
            Stocks(0, _nowNs - 51234), Stocks(2, _nowNs - 51234), Stocks(3, _nowNs + 1), "grüezi",
        };
        for (var i = 0; i < 2; i += 1)
        {
            var connection = receiver.Opened();
            foreach (var text in texts)
            {
                connection.Received(text);
            }
        }
        receiver.Finish();
        var summed = ",\"wrong\":4,\"sequence\":{\"in_order\":2,\"gaps\":2,\"missing\":2,"
            + "\"duplicates\":0,\"reordered\":0,\"unexpected\":0},\"latency_ns\":{\"51200\":4}}";
        Expect.Equal(true, Lines().Last().EndsWith(summed), Lines().Last());
        var bytes = 2 * texts.Sum(Encoding.UTF8.GetByteCount);
        Expect.Equal(true, Lines().Last().Contains($"\"messages\":8,\"bytes\":{bytes},"));
    }

    public void AutorouteLinesAreThoseOfTheOriginal()
    {
        var receiver = Make(2, lines: "autoroute");
        var connection = receiver.Opened();
        connection.Received("hello");
        _nowNs += Clock.SecondNs;
        receiver.Tick();
        _nowNs += 830500000;
        connection.Received("hello");
        receiver.Finish();
        Expect.SameElements(
            new[]
            {
                "messages received per second: 1", "AUTOROUTE csharp-example :: 1831 ms",
            },
            Lines());
    }
}
