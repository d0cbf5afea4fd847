// Tests of echoes and of bots.

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using System.Threading.Tasks;
using Autostrada.Kit;

public class ExchangerTests
{
    const long OpenedNs = 81000000000;
    const long WindowAtNs = OpenedNs + 500;
    const long WindowNs = 2000;

    readonly StringWriter _output = new StringWriter();
    long _nowNs = OpenedNs;

    Exchanger Make(long connections = 1)
    {
        var settings = new EchoSettings
        {
            Url = new Uri("ws://host/echo"),
            WindowNs = WindowNs,
            WarmUpNs = 500,
            Connections = connections,
            Payload = "grüezi",
        };
        return new Exchanger(settings, () => _nowNs, _output);
    }

    bool AnswerAt(Exchange exchange, long nowNs, string answer = "grüezi", bool isText = true)
    {
        _nowNs = nowNs;
        return exchange.Answered(new ArraySegment<byte>(Encoding.UTF8.GetBytes(answer)), isText);
    }

    void ExpectResult(Exchanger exchanger, int connections, int echoed, int wrong)
    {
        exchanger.Finish();
        Expect.Equal(
            $"{{\"event\":\"result\",\"connections\":{connections},\"echoed\":{echoed},"
            + $"\"wrong\":{wrong},\"window_ns\":2000}}",
            _output.ToString().Trim());
    }

    public void CountsWhatComesWithinTheWindowAndEndsAfterIt()
    {
        var exchanger = Make();
        var exchange = exchanger.Opened();
        Expect.Equal(true, AnswerAt(exchange, OpenedNs));
        Expect.Equal(true, AnswerAt(exchange, WindowAtNs - 1));
        Expect.Equal(true, AnswerAt(exchange, WindowAtNs));
        Expect.Equal(true, AnswerAt(exchange, WindowAtNs + WindowNs - 1));
        Expect.Equal(false, AnswerAt(exchange, WindowAtNs + WindowNs));
        ExpectResult(exchanger, 1, echoed: 2, wrong: 0);
    }

    public void AnotherContentOrTypeIsWrongWheneverItComes()
    {
        var exchanger = Make();
        var exchange = exchanger.Opened();
        Expect.Equal(true, AnswerAt(exchange, OpenedNs, ""));
        Expect.Equal(true, AnswerAt(exchange, WindowAtNs, "grüezj"));
        Expect.Equal(true, AnswerAt(exchange, WindowAtNs, isText: false));
        Expect.Equal(false, AnswerAt(exchange, WindowAtNs + WindowNs, "grüezi "));
        ExpectResult(exchanger, 1, echoed: 0, wrong: 4);
    }

    public void TheWarmUpBeginsWhenTheLastConnectionIsOpen()
    {
        var exchanger = Make(connections: 2);
        var first = exchanger.Opened();
        Expect.Equal(true, AnswerAt(first, OpenedNs + 10 * WindowNs));
        exchanger.Opened();
        Expect.Equal(true, AnswerAt(first, OpenedNs + 10 * WindowNs + 499));
        Expect.Equal(true, AnswerAt(first, OpenedNs + 10 * WindowNs + 500));
        ExpectResult(exchanger, 2, echoed: 1, wrong: 0);
    }
}

public class BotsTests
{
    const long OpenedNs = 81000000000;

    readonly StringWriter _output = new StringWriter();
    long _nowNs = OpenedNs;

    Bots Make(long connections = 1, long warmUpNs = 250)
    {
        var echo = new EchoSettings
        {
            Url = new Uri("ws://host/echo"),
            WindowNs = 400,
            WarmUpNs = warmUpNs,
            Connections = connections,
            Payload = "hi",
        };
        return new Bots(new BotSettings { Echo = echo, EveryNs = 100 }, () => _nowNs, _output);
    }

    static List<string> SendAll(Bot bot)
    {
        var events = new List<string>();
        while (bot.NextDueNs() != null)
        {
            events.Add(bot.NextEvent());
        }
        return events;
    }

    static bool Answer(Bot bot, string text, bool isText = true)
    {
        return bot.Answered(new ArraySegment<byte>(Encoding.UTF8.GetBytes(text)), isText);
    }

    void ExpectResult(Bots bots, string result)
    {
        bots.Finish();
        Expect.Equal(
            "{\"event\":\"result\",\"connections\":" + result + "}", _output.ToString().Trim());
    }

    public void EventsAreSpreadOverTheIntervalAndEndWithTheWindow()
    {
        var bots = Make(connections: 2);
        var first = bots.Opened();
        _nowNs += 7;
        var second = bots.Opened();
        Expect.Equal(OpenedNs + 7, first.NextDueNs());
        Expect.Equal(OpenedNs + 57, second.NextDueNs());
        // Due at 0, 100, … 600 and at 50, 150, … 550, of 650.
        Expect.Equal(7, SendAll(first).Count);
        Expect.Equal(6, SendAll(second).Count);
        // Of these, 300, … 600 and 250, … 550 are within the window.
        ExpectResult(
            bots,
            "2,\"sent\":8,\"echoed\":0,\"wrong\":0,\"window_ns\":400,\"response_time_ns\":{}");
    }

    public void ResponseTimesAreFromDueAndOfTheWindowOnly()
    {
        var bots = Make();
        var bot = bots.Opened();
        var goesOn = SendAll(bot).Select(text =>
        {
            _nowNs += 90;
            return Answer(bot, text);
        });
        Expect.SameElements(new[] { true, true, true, true, true, true, false }, goesOn.ToList());
        // Answered at 360, 450, 540 and 630.
        ExpectResult(
            bots,
            "1,\"sent\":4,\"echoed\":4,\"wrong\":0,\"window_ns\":400,"
            + "\"response_time_ns\":{\"30\":1,\"40\":1,\"50\":1,\"60\":1}");
    }

    public void AnAnswerIsRightOnceAndInItsOrder()
    {
        var bots = Make(warmUpNs: 0);
        var bot = bots.Opened();
        var events = SendAll(bot);
        Expect.Equal(true, Answer(bot, events[1]));
        foreach (var wrong in new[] { events[1], events[0], events[2] + "!", "", "4" })
        {
            Expect.Equal(true, Answer(bot, wrong));
        }
        Expect.Equal(true, Answer(bot, events[2], isText: false));
        Expect.Equal(true, Answer(bot, Bots.Stamp(99, OpenedNs + 9900, "hi")));
        Expect.Equal(false, Answer(bot, events[3]));
        bots.Finish();
        var result = "{\"event\":\"result\",\"connections\":1,\"sent\":4,\"echoed\":2,\"wrong\":7,";
        Expect.Equal(true, _output.ToString().StartsWith(result), _output.ToString());
    }

    static Bots MakePlaying(long drainNs)
    {
        var echo = new EchoSettings { Url = new Uri("ws://host/echo"), WindowNs = 50000000 };
        var settings = new BotSettings { Echo = echo, EveryNs = 10000000, DrainNs = drainNs };
        return new Bots(settings, Clock.NowNs, new StringWriter());
    }

    public void ABotSendsAndTakesAnswers()
    {
        var bot = MakePlaying(20 * Clock.SecondNs).Opened();
        var over = new TaskCompletionSource<bool>();
        bot.PlayAsync(
            text =>
            {
                if (!bot.Answered(text, true))
                {
                    over.SetResult(true);
                }
                return Task.CompletedTask;
            },
            () => over.Task).Wait();
        Expect.Equal(5, bot.Counted);
        Expect.Equal(5, bot.Latencies.Total);
    }

    public void AnswersThatDoNotComeAreNotWaitedForAnyLonger()
    {
        var bot = MakePlaying(1).Opened();
        var never = new TaskCompletionSource<bool>().Task;
        bot.PlayAsync(text => Task.CompletedTask, () => never).Wait();
        Expect.Equal(5, bot.Counted);
        Expect.Equal(0, bot.Latencies.Total);
    }

    public void TheEndOfAConnectionIsThrownAtOnce()
    {
        var bot = MakePlaying(20 * Clock.SecondNs).Opened();
        var error = Expect.Throws<AggregateException>(() =>
            bot.PlayAsync(
                text => new TaskCompletionSource<bool>().Task,
                () => Task.FromException(new IOException("gone"))).Wait());
        Expect.Equal("gone", error.GetBaseException().Message);
    }
}
