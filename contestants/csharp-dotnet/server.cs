// Echoes, and feeds an audience, with the WebSockets of ASP.NET Core in Kestrel.

using System;
using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Threading;
using System.Threading.Tasks;
using Autostrada.Kit;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;

static class Server
{
    static X509Certificate2 LoadCertificate(ServerSettings settings)
    {
        try
        {
            return settings.TlsCert == null
                ? null
                : X509Certificate2.CreateFromPemFile(settings.TlsCert, settings.TlsKey);
        }
        catch (Exception error) when (error is CryptographicException || error is System.IO.IOException)
        {
            throw new SettingsException($"TLS_CERT and TLS_KEY must be a pair: {error.Message}");
        }
    }

    static void Main()
    {
        var settings = Variables.ReadOrExit(ServerSettings.Read);
        var certificate = Variables.ReadOrExit(_ => LoadCertificate(settings));
        var handler = new Handler(settings);
        var host = new WebHostBuilder()
            .UseKestrel(options => options.Listen(
                IPAddress.Parse(settings.Host), settings.Port, listener =>
                {
                    if (certificate != null)
                    {
                        listener.UseHttps(certificate);
                    }
                }))
            .Configure(app => app.UseWebSockets().Run(handler.HandleAsync))
            .Build();
        try
        {
            host.Start();
        }
        catch (System.IO.IOException error)
        {
            Clock.Exit($"cannot listen on port {settings.Port}", error);
        }
        // Signals are left to the runtime: the host would wait for all connections to end.
        Thread.Sleep(Timeout.Infinite);
    }
}
