// Receives messages with ClientWebSocket, as its documentation shows: ConnectAsync, ReceiveAsync for each part of a
// message, SendAsync, CloseAsync. A text becomes a string by Encoding.UTF8, and a string bytes.

using System.Net.WebSockets;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Autostrada.Kit;

static class Program
{
    static void Main() => Client.Run(OpenAsync);

    static async Task OpenAsync(Client client)
    {
        using var socket = new ClientWebSocket();
        await socket.ConnectAsync(client.Url, CancellationToken.None);
        try
        {
            await ReceiveAsync(socket, client.Opened());
            await socket.CloseAsync(WebSocketCloseStatus.NormalClosure, "", CancellationToken.None);
        }
        catch (WebSocketException error) when (
            error.WebSocketErrorCode == WebSocketError.ConnectionClosedPrematurely)
        {
            // The server has ended the connection.
        }
    }

    /// <summary>Returns when this side or the server is to close the connection.</summary>
    static async Task ReceiveAsync(ClientWebSocket socket, Connection counted)
    {
        var messages = new Messages(socket);
        while (true)
        {
            var result = await socket.ReceiveAsync(messages.Free, CancellationToken.None);
            if (result.MessageType == WebSocketMessageType.Close)
            {
                return;
            }
            if (!messages.Add(result))
            {
                continue;
            }
            var text = messages.Type == WebSocketMessageType.Text ? Encoding.UTF8.GetString(messages.Payload) : null;
            switch (counted.Received())
            {
                case Next.Reply:
                    var reply = text == null ? messages.Payload : Encoding.UTF8.GetBytes(text);
                    await socket.SendAsync(reply, messages.Type, true, CancellationToken.None);
                    break;
                case Next.Close:
                    return;
            }
        }
    }
}
