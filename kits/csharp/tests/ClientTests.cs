// Tests of what a client does after each message, and of its result, with a manual clock.

using System;
using System.IO;
using System.Linq;
using Autostrada.Kit;

public class ClientTests
{
    long _nowNs = 100;

    Client Make(params string[] more)
    {
        var assignments = new[] { "URL=ws://host/", "MESSAGES=2" }.Concat(more).ToArray();
        return new Client(SettingsTests.Given(assignments), () => _nowNs);
    }

    Next Receive(Connection connection)
    {
        _nowNs += 1;
        return connection.Received();
    }

    void ExpectResult(string expected, Client client)
    {
        var output = new StringWriter();
        _nowNs = 500;
        client.PrintResult(output);
        Expect.Equal($"{{\"event\":\"result\",{expected}}}\n", output.ToString());
    }

    public void ACountingClientClosesAfterItsLastMessage()
    {
        var client = Make();
        var first = client.Opened();
        var second = client.Opened();
        Expect.Equal(Next.Receive, Receive(second));
        Expect.Equal(Next.Close, Receive(second));
        Expect.Equal(Next.Receive, Receive(first));
        Expect.Equal(Next.Close, Receive(first));
        Expect.Equal(Next.Receive, Receive(first));
        ExpectResult("\"connections\":2,\"messages\":4,\"opened_ns\":100,\"received_ns\":104", client);
    }

    public void AClientWithoutItsLastMessageHasTheInstantOfItsResult()
    {
        var client = Make();
        Receive(client.Opened());
        ExpectResult("\"connections\":1,\"messages\":1,\"opened_ns\":100,\"received_ns\":500", client);
    }

    public void AReplyingClientAnswersEachMessage()
    {
        var client = Make("VERB=reply");
        var connection = client.Opened();
        for (var i = 0; i < 3; i += 1)
        {
            Expect.Equal(Next.Reply, Receive(connection));
        }
        ExpectResult("\"connections\":1,\"messages\":3,\"opened_ns\":100,\"received_ns\":500", client);
    }
}
