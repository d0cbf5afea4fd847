// Serves with the WebSockets of ASP.NET Core in Kestrel, as their documentation shows: UseWebSockets,
// AcceptWebSocketAsync, ReceiveAsync and SendAsync for each message.

using System;
using System.Net.WebSockets;
using System.Security.Cryptography.X509Certificates;
using System.Threading;
using System.Threading.Tasks;
using Autostrada.Kit;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

static class Program
{
    static void Main() => Server.Run(Serve);

    static void Serve(Server server)
    {
        var certificate = server.Certificate(X509Certificate2.CreateFromPemFile);
        var builder = WebApplication.CreateBuilder();
        builder.WebHost.ConfigureKestrel(kestrel => kestrel.Listen(server.Host, server.Port, listening =>
        {
            if (certificate != null) listening.UseHttps(certificate);
        }));
        // The contract requires that a server prints nothing and ends within five seconds. By default, it waits 30
        // seconds for open connections.
        builder.Logging.ClearProviders();
        builder.Services.Configure<HostOptions>(options => options.ShutdownTimeout = TimeSpan.Zero);
        var app = builder.Build();
        app.UseWebSockets();
        app.Map("/echo", (HttpContext context) => AcceptAsync(context, server, EchoAsync));
        app.Map("/publish", (HttpContext context) => AcceptAsync(context, server, Publishing.PublishAsync));
        app.Map("/subscribe", (HttpContext context) => AcceptAsync(context, server, Publishing.SubscribeAsync));
        app.Run();
    }

    static async Task AcceptAsync(HttpContext context, Server server, Func<WebSocket, Task> workAsync)
    {
        if (!context.WebSockets.IsWebSocketRequest)
        {
            context.Response.StatusCode = StatusCodes.Status400BadRequest;
            return;
        }
        var accept = new WebSocketAcceptContext { DangerousEnableCompression = server.Deflate };
        using var socket = await context.WebSockets.AcceptWebSocketAsync(accept);
        await workAsync(socket);
        await socket.CloseAsync(socket.CloseStatus.Value, socket.CloseStatusDescription, CancellationToken.None);
    }

    static async Task EchoAsync(WebSocket socket)
    {
        var messages = new Messages(socket);
        while (await messages.ReadAsync())
            await socket.SendAsync(messages.Payload, messages.Type, true, CancellationToken.None);
    }
}
