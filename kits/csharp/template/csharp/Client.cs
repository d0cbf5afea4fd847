// Receives with LIBRARY.

using System;
using System.Threading.Tasks;
using Autostrada.Kit;

static class Client
{
    public static void Receive()
    {
        var receiver = Receiver.FromEnvironment();
        Connections.RunAll(receiver.Connections, () => ReceiveAsync(receiver), receiver.Fail);
        receiver.Finish();
    }

    static Task ReceiveAsync(Receiver receiver)
    {
        // LIBRARY: open a connection to receiver.Url, without compression, for messages of up to 16 MiB.
        throw new NotSupportedException("Client.cs lacks the calls of the library");
        // LIBRARY: var connection = receiver.Opened(), and connection.Received(message) for each message, a string or
        // bytes, until the server closes; when it returns true, start the closing handshake with code 1000.
    }
}
