// Echoes messages and sends a feed with the WebSockets of ASP.NET Core in Kestrel.

using System;
using System.IO;
using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Autostrada.Kit;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

static class Server
{
    static X509Certificate2 LoadCertificate(ServerSettings settings)
    {
        try
        {
            var isTls = settings.TlsCert != null;
            return isTls ? X509Certificate2.CreateFromPemFile(settings.TlsCert, settings.TlsKey) : null;
        }
        catch (Exception error) when (error is CryptographicException || error is IOException)
        {
            throw new SettingsException($"TLS_CERT and TLS_KEY must be a pair: {error.Message}");
        }
    }

    static void Main()
    {
        var settings = Variables.ReadOrExit(ServerSettings.Read);
        var certificate = Variables.ReadOrExit(_ => LoadCertificate(settings));

        var builder = WebApplication.CreateBuilder();
        builder.WebHost.ConfigureKestrel(options => options.Listen(
            IPAddress.Parse(settings.Host), settings.Port, listener =>
            {
                if (certificate != null)
                {
                    listener.UseHttps(certificate);
                }
            }));
        // The contract requires that stdout has no logs and that a server ends within five seconds.
        // By default, it waits 30 seconds for open connections.
        builder.Logging.ClearProviders();
        builder.Services.Configure<HostOptions>(options => options.ShutdownTimeout = TimeSpan.Zero);
        try
        {
            var app = builder.Build();
            app.UseWebSockets();
            app.Run(new Handler(settings).HandleAsync);
            app.Run();
        }
        catch (IOException error)
        {
            Clock.Exit($"cannot listen on port {settings.Port}", error);
        }
    }
}
