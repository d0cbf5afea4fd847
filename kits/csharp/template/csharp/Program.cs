// Starts the client or the server, which are one program.

using System;
using Autostrada.Kit;

static class Program
{
    static void Main(string[] arguments)
    {
        switch (string.Join(" ", arguments))
        {
            case "client":
                Client.Run(Receiving.OpenAsync);
                break;
            case "server":
                Server.Run(Serving.Serve);
                break;
            default:
                Console.Error.WriteLine("usage: contestant.dll client|server");
                Environment.Exit(2);
                break;
        }
    }
}
