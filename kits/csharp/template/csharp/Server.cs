// Echoes with LIBRARY.

using System;
using Autostrada.Kit;

static class Server
{
    public static void Serve()
    {
        var settings = Variables.ReadOrExit(ServerSettings.Read);
        // LIBRARY: listen on settings.Host and settings.Port, without compression, for messages of up to 16 MiB.
        // LIBRARY: send each message of a connection to /echo back unchanged.
        Clock.Exit(
            $"cannot listen on port {settings.Port}",
            new NotSupportedException("Server.cs lacks the calls of the library"));
    }
}
