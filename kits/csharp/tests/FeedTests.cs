// Tests of a feed, with a manual clock, and of its subscribers.

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using System.Threading.Tasks;
using Autostrada.Kit;

public class FeedTests
{
    const long StartNs = 81000000000;
    const long EveryNs = 400000000;

    readonly StringWriter _output = new StringWriter();
    long _nowNs = StartNs;
    int _subscribed = 2;

    Feed Make(
        string kind, long? everyNs = null, long? durationNs = null, long messages = long.MaxValue)
    {
        var settings = new FeedSettings
        {
            Format = new FeedFormat(kind, "json"),
            EveryNs = everyNs,
            DurationNs = durationNs,
            Messages = messages,
        };
        return new Feed(settings, () => _subscribed, () => _nowNs, _output);
    }

    static string Next(Feed feed)
    {
        Expect.Equal(0, feed.WaitNs());
        return Encoding.UTF8.GetString(feed.NextMessage());
    }

    public void MessagesAreDueByTheirNumber()
    {
        var feed = Make("clock", everyNs: EveryNs, messages: 3);
        Expect.Equal($"{StartNs}", Next(feed));
        Expect.Equal(EveryNs, feed.WaitNs());
        // A late message carries the time at which it was due, and does not delay the next ones.
        _nowNs += EveryNs + 7;
        Expect.Equal($"{StartNs + EveryNs}", Next(feed));
        Expect.Equal(EveryNs - 7, feed.WaitNs());
        _nowNs = StartNs + 2 * EveryNs;
        Expect.Equal($"{StartNs + 2 * EveryNs}", Next(feed));
        // The last message has an interval like the others; the end of the second comes first.
        Expect.Equal(EveryNs / 2, feed.WaitNs());
        _nowNs += EveryNs;
        Expect.Equal((long?)null, feed.WaitNs());
    }

    public void WhatWouldBeDueAtTheEndIsNotSent()
    {
        var feed = Make("sequence", everyNs: EveryNs, durationNs: 2 * EveryNs);
        Expect.Equal("0", Next(feed));
        _nowNs += EveryNs;
        Expect.Equal("1", Next(feed));
        Expect.Equal(EveryNs, feed.WaitNs());
        _nowNs += EveryNs;
        Expect.Equal((long?)null, feed.WaitNs());
    }

    public void WithoutAnIntervalTimeOrNumberEndsIt()
    {
        var feed = Make("clock", durationNs: 10);
        _nowNs += 9;
        Expect.Equal($"{StartNs + 9}", Next(feed));
        _nowNs += 1;
        Expect.Equal((long?)null, feed.WaitNs());
        feed = Make("hello", messages: 1);
        Next(feed);
        Expect.Equal((long?)null, feed.WaitNs());
    }

    public void ItIsOverWhenNobodyIsLeft()
    {
        var feed = Make("hello", messages: 5);
        _subscribed = 0;
        Expect.Equal((long?)null, feed.WaitNs());
    }

    public void EachSecondHasTheMessagesHandedOver()
    {
        var feed = Make("hello", everyNs: 700000000, messages: 3);
        Next(feed);
        Expect.Equal(700000000, feed.WaitNs());
        _nowNs += 700000000;
        Next(feed);
        // At most until the end of the second.
        Expect.Equal(300000000, feed.WaitNs());
        _nowNs += 700000000;
        Next(feed);
        _nowNs += 700000000;
        Expect.Equal((long?)null, feed.WaitNs());
        feed.Finish();
        Expect.SameElements(
            new[]
            {
                "{\"event\":\"second\",\"second\":0,\"messages\":4,\"bytes\":44}",
                "{\"event\":\"second\",\"second\":1,\"messages\":2,\"bytes\":22}",
                "{\"event\":\"result\",\"messages\":6,\"bytes\":66}",
            },
            _output.ToString().Split(new[] { '\n' }, StringSplitOptions.RemoveEmptyEntries));
    }

    static async Task<List<string>> Receive(Subscriber subscriber)
    {
        var received = new List<string>();
        for (var message = await subscriber.TakeAsync(); message != null; message = await subscriber.TakeAsync())
        {
            received.Add(Encoding.UTF8.GetString(message));
        }
        subscriber.Leave();
        return received;
    }

    public void SubscribersGetTheirFeedWhenAllAreThereAndSoDoTheNext()
    {
        var settings = new FeedSettings
        {
            Format = new FeedFormat("sequence", "json"), Subscribers = 2, Messages = 1000,
        };
        var subscribers = new Subscribers(settings);
        var numbers = Enumerable.Range(0, 1000).Select(number => number.ToString()).ToList();
        var console = Console.Out;
        Console.SetOut(_output);
        for (var round = 0; round < 2; round += 1)
        {
            var first = Receive(subscribers.Join());
            Expect.Equal(false, first.IsCompleted);
            Expect.SameElements(numbers, Receive(subscribers.Join()).Result);
            Expect.SameElements(numbers, first.Result);
        }
        Console.SetOut(console);
        var result = "{\"event\":\"result\",\"messages\":2000,\"bytes\":5780}";
        Expect.SameElements(
            new[] { result, result },
            _output.ToString().Split(new[] { '\n' }, StringSplitOptions.RemoveEmptyEntries)
                .Where(line => line.Contains("result")));
    }

    public void NobodyWaitsForWhoHasLeft()
    {
        var settings = new FeedSettings
        {
            Format = new FeedFormat("sequence", "json"), Subscribers = 2, Messages = 1000,
        };
        var subscribers = new Subscribers(settings);
        var console = Console.Out;
        Console.SetOut(_output);
        var leaves = subscribers.Join();
        var stays = Receive(subscribers.Join());
        Expect.Equal("0", Encoding.UTF8.GetString(leaves.TakeAsync().Result));
        leaves.Leave();
        Expect.Equal(1000, stays.Result.Count);
        Console.SetOut(console);
        Expect.Equal(null, leaves.TakeAsync().Result);
    }

    public void WithoutAFeedNobodyCanJoin()
    {
        Expect.Throws<InvalidOperationException>(() => new Subscribers(null).Join());
    }
}
