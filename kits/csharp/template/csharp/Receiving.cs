// Receives messages with LIBRARY, as its documentation shows.

using System;
using System.Threading.Tasks;
using Autostrada.Kit;

static class Receiving
{
    public static async Task OpenAsync(Client client)
    {
        var connection = await ConnectAsync(client.Url);
        var counted = client.Opened();
        // LIBRARY: read each message, a string or bytes, until the connection has ended.
        await foreach (var message in connection)
        {
            switch (counted.Received())
            {
                case Next.Reply:
                    // LIBRARY: send the message back.
                    break;
                case Next.Close:
                    // LIBRARY: start the closing handshake with code 1000.
                    return;
            }
        }
    }

    static Task<System.Collections.Generic.IAsyncEnumerable<string>> ConnectAsync(Uri url)
    {
        // LIBRARY: open a connection to this address, without compression, for messages of up to 16 MiB.
        throw new NotSupportedException("Receiving.cs lacks the calls of the library");
    }
}
