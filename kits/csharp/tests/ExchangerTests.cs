// Tests of the echo counts.

using System;
using System.IO;
using System.Text;
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
