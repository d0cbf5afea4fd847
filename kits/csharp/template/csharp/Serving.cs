// Serves with LIBRARY, as its documentation shows.

using System;
using Autostrada.Kit;

static class Serving
{
    public static void Serve(Server server)
    {
        // LIBRARY: listen on server.Host and server.Port, without compression, for messages of up to 16 MiB.
        // LIBRARY: /echo sends each message back, unchanged.
        // LIBRARY: /subscribe gets what /publish sends, by the library's own function if it has one.
        // LIBRARY: other paths are refused.
        throw new NotSupportedException("Serving.cs lacks the calls of the library");
    }
}
