// Passes messages on to subscribers, each of which has a channel and a task that sends what the channel holds.

using System.Collections.Concurrent;
using System.Linq;
using System.Net.WebSockets;
using System.Threading;
using System.Threading.Channels;
using System.Threading.Tasks;

static class Publishing
{
    static readonly ConcurrentDictionary<WebSocket, ChannelWriter<Message>> Subscribers =
        new ConcurrentDictionary<WebSocket, ChannelWriter<Message>>();

    public static async Task PublishAsync(WebSocket socket)
    {
        var messages = new Messages(socket);
        while (await messages.ReadAsync())
        {
            var message = new Message { Payload = messages.Payload.ToArray(), Type = messages.Type };
            foreach (var subscriber in Subscribers)
            {
                subscriber.Value.TryWrite(message);
            }
        }
    }

    public static async Task SubscribeAsync(WebSocket socket)
    {
        var queue = Channel.CreateUnbounded<Message>();
        Subscribers[socket] = queue.Writer;
        var sending = SendAllAsync(socket, queue.Reader);
        try
        {
            var ignored = new Messages(socket);
            while (await ignored.ReadAsync())
            {
            }
        }
        finally
        {
            Subscribers.TryRemove(socket, out _);
            queue.Writer.Complete();
        }
        await sending;
    }

    static async Task SendAllAsync(WebSocket socket, ChannelReader<Message> queue)
    {
        await foreach (var message in queue.ReadAllAsync())
        {
            if (socket.State != WebSocketState.Open)
            {
                return; // The subscriber closes the connection, and does not wait for messages.
            }
            await socket.SendAsync(message.Payload, message.Type, true, CancellationToken.None);
        }
    }

    sealed class Message
    {
        public byte[] Payload;
        public WebSocketMessageType Type;
    }
}
