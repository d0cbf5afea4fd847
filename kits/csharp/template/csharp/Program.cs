// Starts the client or the server, which are one program.

using System;

static class Program
{
    static void Main(string[] arguments)
    {
        switch (string.Join(" ", arguments))
        {
            case "client":
                Client.Receive();
                break;
            case "server":
                Server.Serve();
                break;
            default:
                Console.Error.WriteLine("usage: contestant.dll client|server");
                Environment.Exit(2);
                break;
        }
    }
}
