// Sends a feed to one subscriber with the WebSockets of ASP.NET Core.

using System.Net.WebSockets;
using System.Threading;
using System.Threading.Tasks;
using Autostrada.Kit;

static class Feeding
{
    public static async Task SubscribeAsync(WebSocket socket, Subscribers subscribers, FeedSettings settings)
    {
        var subscriber = subscribers.Join();
        var type = settings.Format.IsText ? WebSocketMessageType.Text : WebSocketMessageType.Binary;
        // Receiving detects the end of the connection, after which nothing is sent.
        var ignoring = IgnoreAsync(socket, subscriber);
        var message = await subscriber.TakeAsync();
        while (message != null)
        {
            await socket.SendAsync(message, type, true, CancellationToken.None);
            message = await subscriber.TakeAsync();
        }
        if (socket.State == WebSocketState.Open || socket.State == WebSocketState.CloseReceived)
        {
            await socket.CloseOutputAsync(
                WebSocketCloseStatus.NormalClosure, "", CancellationToken.None);
        }
        await ignoring;
    }

    static async Task IgnoreAsync(WebSocket socket, Subscriber subscriber)
    {
        var buffer = new byte[4 * 1024];
        try
        {
            while (!(await socket.ReceiveAsync(buffer, CancellationToken.None)).CloseStatus.HasValue)
            {
            }
        }
        finally
        {
            subscriber.Leave();
        }
    }
}
