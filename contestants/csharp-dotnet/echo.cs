// Exchanges echoes with System.Net.WebSockets.

using System;
using System.Net.WebSockets;
using System.Threading;
using System.Threading.Tasks;
using Autostrada.Kit;

static class Echo
{
    static async Task ExchangeAsync(Exchanger exchanger)
    {
        using (var socket = new ClientWebSocket())
        {
            await socket.ConnectAsync(exchanger.Url, CancellationToken.None);
            var exchange = exchanger.Opened();
            var messages = new Messages(socket);
            do
            {
                await socket.SendAsync(
                    exchanger.Payload, WebSocketMessageType.Text, true, CancellationToken.None);
                await messages.ReadAnswerAsync();
            }
            while (exchange.Answered(messages.Bytes, messages.IsText));
            await Messages.CloseAsync(socket);
        }
    }

    public static void ExchangeAll()
    {
        var exchanger = Exchanger.FromEnvironment();
        Connections.RunAll(exchanger.Connections, () => ExchangeAsync(exchanger), exchanger.Fail);
        exchanger.Finish();
    }
}
