// The smallest program that receives with System.Net.WebSockets.

using System;
using System.Net.WebSockets;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

static class Client
{
    static async Task Main()
    {
        var url = new Uri(Environment.GetEnvironmentVariable("URL"));
        var messages = int.Parse(Environment.GetEnvironmentVariable("MESSAGES"));
        using (var socket = new ClientWebSocket())
        {
            await socket.ConnectAsync(url, CancellationToken.None);
            var buffer = new ArraySegment<byte>(new byte[16 * 1024]);
            var count = 0;
            while (count < messages)
            {
                var result = await socket.ReceiveAsync(buffer, CancellationToken.None);
                var text = Encoding.UTF8.GetString(buffer.Array, 0, result.Count);
                count += text.Length > 0 && result.EndOfMessage ? 1 : 0;
            }
            await socket.CloseAsync(WebSocketCloseStatus.NormalClosure, "", CancellationToken.None);
        }
    }
}
