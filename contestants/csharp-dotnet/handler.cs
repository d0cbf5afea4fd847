// Handles a connection of ASP.NET Core: it echoes messages or sends a feed.

using System;
using System.Net.WebSockets;
using System.Threading;
using System.Threading.Tasks;
using Autostrada.Kit;
using Microsoft.AspNetCore.Http;

sealed class Handler
{
    readonly ServerSettings _settings;
    readonly Subscribers _subscribers;

    public Handler(ServerSettings settings)
    {
        _settings = settings;
        _subscribers = new Subscribers(settings.Feed);
    }

    public async Task HandleAsync(HttpContext context)
    {
        if (!context.WebSockets.IsWebSocketRequest)
        {
            context.Response.StatusCode = StatusCodes.Status400BadRequest;
            return;
        }
        var accept = new WebSocketAcceptContext { DangerousEnableCompression = _settings.Deflate };
        using (var socket = await context.WebSockets.AcceptWebSocketAsync(accept))
        {
            try
            {
                await (context.Request.Path == "/feed"
                    ? Feeding.SubscribeAsync(socket, _subscribers, _settings.Feed)
                    : EchoAsync(socket));
            }
            catch (WebSocketException error)
            {
                Console.Error.WriteLine(error.Message);
            }
        }
    }

    static async Task EchoAsync(WebSocket socket)
    {
        var messages = new Messages(socket);
        while (await messages.ReadAsync())
        {
            await socket.SendAsync(
                messages.Bytes,
                messages.IsText ? WebSocketMessageType.Text : WebSocketMessageType.Binary,
                true, CancellationToken.None);
        }
        await Messages.CloseAsync(socket);
    }
}
