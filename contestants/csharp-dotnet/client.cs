// Receives messages with System.Net.WebSockets.

using System;
using System.Net.WebSockets;
using System.Threading;
using System.Threading.Tasks;
using Autostrada.Kit;

static class Client
{
    static async Task ReceiveAsync(Receiver receiver)
    {
        using (var socket = new ClientWebSocket())
        {
            await socket.ConnectAsync(receiver.Url, CancellationToken.None);
            var connection = receiver.Opened();
            var messages = new Messages(socket);
            try
            {
                var isComplete = false;
                while (!isComplete)
                {
                    var result = await socket.ReceiveAsync(messages.Free, CancellationToken.None);
                    if (result.MessageType == WebSocketMessageType.Close)
                    {
                        break;
                    }
                    isComplete = messages.Add(result) && messages.IsLastOf(connection);
                }
                await Messages.CloseAsync(socket);
            }
            catch (WebSocketException error) when (
                error.WebSocketErrorCode == WebSocketError.ConnectionClosedPrematurely)
            {
                Console.Error.WriteLine(error.Message);
            }
        }
    }

    static void Receive()
    {
        var receiver = Receiver.FromEnvironment();
        Connections.RunAll(receiver.Connections, () => ReceiveAsync(receiver), receiver.Fail);
        receiver.Finish();
    }

    static void Main()
    {
        switch (Variables.Choose("WORKLOAD", "receive", "echo"))
        {
            case "receive":
                Receive();
                break;
            default:
                Echo.ExchangeAll();
                break;
        }
    }
}
