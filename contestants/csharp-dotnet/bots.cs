// Bots with System.Net.WebSockets.

using System;
using System.Net.WebSockets;
using System.Threading;
using System.Threading.Tasks;
using Autostrada.Kit;

static class SendingBots
{
    static async Task PlayAsync(Bots bots)
    {
        using (var socket = new ClientWebSocket())
        {
            await socket.ConnectAsync(bots.Url, CancellationToken.None);
            var bot = bots.Opened();
            await bot.PlayAsync(
                text => socket.SendAsync(
                    text, WebSocketMessageType.Text, true, CancellationToken.None),
                () => TakeAnswersAsync(socket, bot));
            await Messages.CloseAsync(socket);
        }
    }

    static async Task TakeAnswersAsync(WebSocket socket, Bot bot)
    {
        var messages = new Messages(socket);
        do
        {
            await messages.ReadAnswerAsync();
        }
        while (bot.Answered(messages.Bytes, messages.IsText));
    }

    public static void PlayAll()
    {
        var bots = Bots.FromEnvironment();
        Connections.RunAll(bots.Connections, () => PlayAsync(bots), bots.Fail);
        bots.Finish();
    }
}
