// Tests of the settings.

using System;
using System.Collections.Generic;
using System.Diagnostics;
using Autostrada.Kit;

public class SettingsTests
{
    static readonly string[] Receive = { "URL=ws://127.0.0.1:8008/5", "MESSAGES=5" };
    static readonly string[] Exchange = { "URL=ws://127.0.0.1:8008/echo", "WINDOW_S=2", "EVERY_MS=0.5" };
    static readonly string[] Serve = { "PORT=8008" };

    /// <summary>Returns variables; a later assignment overrides an earlier one, and a name without
    /// a value is unset.</summary>
    static Variables Given(string[] some, params string[] more)
    {
        var values = new Dictionary<string, string>();
        foreach (var each in some)
        {
            values[each.Split('=')[0]] = each.Substring(each.IndexOf('=') + 1);
        }
        foreach (var each in more)
        {
            var hasValue = each.Contains("=");
            values[each.Split('=')[0]] = hasValue ? each.Substring(each.IndexOf('=') + 1) : null;
        }
        return new Variables(name => values.ContainsKey(name) ? values[name] : null);
    }

    static void ExpectWrong(Action read, string variable)
    {
        var error = Expect.Throws<SettingsException>(read, variable);
        Expect.Equal(true, error.Message.StartsWith($"{variable} "), error.Message);
    }

    public void ReadsWhatReceivingAsksFor()
    {
        var settings = Settings.Read(Given(Receive));
        Expect.Equal(5, settings.Messages);
        Expect.Equal(1, settings.Connections);
        Expect.Equal("json", settings.Lines);
        settings = Settings.Read(Given(Receive, "MESSAGES", "FEED=clock", "CONNECTIONS=3"));
        Expect.Equal(long.MaxValue, settings.Messages);
        Expect.Equal(3, settings.Connections);
        Expect.Equal("clock", settings.Feed.Kind);
    }

    public void NamesTheVariableOfReceivingThatIsIllFormed()
    {
        foreach (var given in new[]
        {
            "URL", "URL=", "URL=127.0.0.1:8008", "URL=http://host/", "URL=ws://", "URL=ws://a:b/",
            "MESSAGES", "MESSAGES=", "MESSAGES=0", "MESSAGES=-1", "MESSAGES=1e6", "MESSAGES=٣",
            "MESSAGES=1\n", "MESSAGES=9999999999999999", "CONNECTIONS=0", "LINES=JSON", "LINES=",
            "FEED=weather",
        })
        {
            ExpectWrong(() => Settings.Read(Given(Receive, given)), given.Split('=')[0]);
        }
    }

    public void ReadsWhatAnExchangeAsksFor()
    {
        var settings = EchoSettings.Read(Given(Exchange));
        Expect.Equal(2 * Clock.SecondNs, settings.WindowNs);
        Expect.Equal(0, settings.WarmUpNs);
        Expect.Equal("hello world", settings.Payload);
        var more = Given(Exchange, "WINDOW_S=1.000000001", "WARM_UP_S=0.5", "PAYLOAD=grüezi");
        Expect.Equal(1000000001, EchoSettings.Read(more).WindowNs);
        Expect.Equal(500000000, EchoSettings.Read(more).WarmUpNs);
        Expect.Equal("grüezi", EchoSettings.Read(more).Payload);
    }

    public void NamesTheVariableOfAnExchangeThatIsIllFormed()
    {
        foreach (var given in new[]
        {
            "WINDOW_S", "WINDOW_S=0", "WINDOW_S=0.0", "WINDOW_S=nan", "WINDOW_S=1000000",
            "WARM_UP_S=-1", "WARM_UP_S=1e3", "WARM_UP_S=", "WARM_UP_S=1.", "CONNECTIONS=0",
        })
        {
            ExpectWrong(() => EchoSettings.Read(Given(Exchange, given)), given.Split('=')[0]);
        }
    }

    public void ReadsWhatServingAsksFor()
    {
        var plain = ServerSettings.Read(Given(Serve));
        Expect.Equal("127.0.0.1", plain.Host);
        Expect.Equal(null, plain.Feed);
        Expect.Equal(null, plain.TlsCert);
        var settings = ServerSettings.Read(Given(
            Serve, "HOST=127.0.0.2", "COMPRESSION=deflate", "FEED=stocks", "ENCODING=binary",
            "STOCKS=3", "STOCKS_FILE=../stocks.csv", "SUBSCRIBERS=8", "EVERY_MS=0.5", "SECONDS=1.5",
            "TLS_CERT=one.pem", "TLS_KEY=other.pem"));
        Expect.Equal("127.0.0.2", settings.Host);
        Expect.Equal(true, settings.Deflate);
        Expect.Equal("other.pem", settings.TlsKey);
        Expect.Equal(false, settings.Feed.Format.IsText);
        Expect.Equal(3, settings.Feed.Stocks);
        Expect.Equal(8, settings.Feed.Subscribers);
        Expect.Equal(500000, settings.Feed.EveryNs);
        Expect.Equal(1500000000, settings.Feed.DurationNs);
        Expect.Equal(long.MaxValue, settings.Feed.Messages);
    }

    public void NamesTheVariableOfAServerThatIsMissingOrWrong()
    {
        foreach (var given in new[]
        {
            new[] { "PORT=0" },
            new[] { "PORT=65536" },
            new[] { "WORKERS=0" },
            new[] { "COMPRESSION=gzip" },
            new[] { "TLS_KEY", "TLS_CERT=certificate.pem" },
            new[] { "TLS_CERT", "TLS_KEY=key.pem" },
            new[] { "ENCODING=xml", "FEED=hello", "MESSAGES=1" },
            new[] { "MESSAGES", "FEED=hello" },
            new[] { "MESSAGES=1", "FEED=hello", "SECONDS=1" },
            new[] { "SECONDS=0", "FEED=hello" },
            new[] { "EVERY_MS=0", "FEED=hello", "MESSAGES=1" },
            new[] { "SUBSCRIBERS=0", "FEED=hello", "MESSAGES=1" },
            new[] { "STOCKS=1000001", "FEED=hello", "MESSAGES=1" },
            new[] { "STOCKS_FILE", "FEED=stocks", "MESSAGES=1" },
            new[] { "STOCKS_FILE=/none.csv", "FEED=stocks", "MESSAGES=1" },
            new[] { "STOCKS_FILE=kit.toml", "FEED=stocks", "MESSAGES=1" },
        })
        {
            ExpectWrong(() => ServerSettings.Read(Given(Serve, given)), given[0].Split('=')[0]);
        }
    }

    public void EndsTheProgramWithStatus2AndOneLineWhereTheEnvironmentIsWrong()
    {
        var program = System.Reflection.Assembly.GetExecutingAssembly().Location;
        var start = new ProcessStartInfo("mono", $"\"{program}\" read")
        {
            RedirectStandardError = true,
            UseShellExecute = false,
        };
        start.EnvironmentVariables["URL"] = "ws://host/5";
        start.EnvironmentVariables["MESSAGES"] = "ten";
        using (var started = Process.Start(start))
        {
            var reason = started.StandardError.ReadToEnd();
            started.WaitForExit();
            Expect.Equal(2, started.ExitCode);
            Expect.Equal("MESSAGES", reason.Split(' ')[0]);
            Expect.Equal(reason.Length - 1, reason.IndexOf('\n'));
        }
    }
}
