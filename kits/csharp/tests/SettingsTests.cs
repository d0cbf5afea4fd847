// Tests of the settings.

using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using Autostrada.Kit;

public class SettingsTests
{
    /// <summary>Returns variables; a later assignment overrides an earlier one.</summary>
    public static Variables Given(params string[] assignments)
    {
        var values = new Dictionary<string, string>();
        foreach (var each in assignments)
        {
            var split = each.IndexOf('=');
            values[each.Substring(0, split)] = each.Substring(split + 1);
        }
        return new Variables(name => values.ContainsKey(name) ? values[name] : null);
    }

    static void ExpectWrong(Action<string> read, params string[] assignments)
    {
        foreach (var each in assignments)
        {
            var error = Expect.Throws<SettingsException>(() => read(each), each);
            var start = each.Split('=')[0] + " is \"";
            Expect.Equal(true, error.Message.StartsWith(start), error.Message);
        }
    }

    public void ProgramsHaveTheirSettings()
    {
        var client = new Client(Given("URL=wss://host/5", "VERB=reply", "MESSAGES=5"), null);
        Expect.Equal("wss://host/5", client.Url.ToString());
        Expect.Equal(true, client.IsReplying);
        Expect.Equal(5, client.Messages);
        client = new Client(Given("URL=ws://host:1/"), null);
        Expect.Equal(false, client.IsReplying);
        Expect.Equal(long.MaxValue, client.Messages);
        var server = new Server(Given("PORT=8008", "COMPRESSION=deflate"));
        Expect.Equal("127.0.0.1:8008", $"{server.Host}:{server.Port}");
        Expect.Equal(true, server.Deflate);
        Expect.Equal(false, new Server(Given("PORT=8008")).Deflate);
    }

    public void AWrongVariableIsNamed()
    {
        ExpectWrong(
            each => new Client(Given("URL=ws://host/5", each), null),
            "URL=", "URL=nonsense", "URL=http://host/", "URL=ws://", "URL=ws://a:b/", "VERB=", "VERB=shout",
            "MESSAGES=", "MESSAGES=0", "MESSAGES=-1", "MESSAGES=1e6", "MESSAGES=٣", "MESSAGES=1\n",
            "MESSAGES=9999999999999999", "CONNECTIONS=0");
        ExpectWrong(
            each => new Server(Given("PORT=8008", each)),
            "PORT=", "PORT=0", "PORT=65536", "HOST=host", "COMPRESSION=gzip");
        var error = Expect.Throws<SettingsException>(() => new Server(Given()));
        Expect.Equal("PORT is not set", error.Message);
    }

    public void ACertificateIsLoadedWithItsKey()
    {
        Func<string, string, string> load = (certificate, key) => certificate + " and " + key;
        Expect.Equal(null, new Server(Given("PORT=1")).Certificate(load));
        var server = new Server(Given("PORT=1", "TLS_CERT=one", "TLS_KEY=other"));
        Expect.Equal("one and other", server.Certificate(load));
        load = (certificate, key) => File.ReadAllText(certificate) + key;
        ExpectWrong(each => new Server(Given("PORT=1", each)).Certificate(load), "TLS_CERT=missing");
    }

    public void AWrongEnvironmentEndsTheProgramWithStatus2AndOneLine()
    {
        var program = System.Reflection.Assembly.GetExecutingAssembly().Location;
        var start = new ProcessStartInfo("mono", $"\"{program}\" client")
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
            Expect.Equal("MESSAGES is \"ten\": give a whole number from 1 to 999999999999999\n", reason);
        }
    }
}
