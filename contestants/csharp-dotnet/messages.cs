// Receives whole messages with System.Net.WebSockets, and closes.

using System;
using System.Net.WebSockets;
using System.Threading;
using System.Threading.Tasks;

/// <summary>The messages of one connection, each read into the same memory.</summary>
sealed class Messages
{
    readonly WebSocket _socket;
    byte[] _buffer = new byte[16 * 1024];
    int _length;

    public Messages(WebSocket socket)
    {
        _socket = socket;
    }

    public ArraySegment<byte> Bytes => new ArraySegment<byte>(_buffer, 0, _length);

    public bool IsText { get; private set; }

    /// <summary>Reads the next message; returns false when the peer closes.</summary>
    public ValueTask<bool> ReadAsync()
    {
        _length = 0;
        var reading = _socket.ReceiveAsync(_buffer.AsMemory(), CancellationToken.None);
        // Most messages are there already, and whole: they need no state machine.
        if (!reading.IsCompletedSuccessfully)
        {
            return ReadOnAsync(reading);
        }
        var result = reading.Result;
        return Take(result)
            ? new ValueTask<bool>(result.MessageType != WebSocketMessageType.Close)
            : ReadOnAsync(ReadPartAsync());
    }

    async ValueTask<bool> ReadOnAsync(ValueTask<ValueWebSocketReceiveResult> reading)
    {
        while (true)
        {
            var result = await reading;
            if (Take(result))
            {
                return result.MessageType != WebSocketMessageType.Close;
            }
            reading = ReadPartAsync();
        }
    }

    ValueTask<ValueWebSocketReceiveResult> ReadPartAsync()
    {
        if (_length == _buffer.Length)
        {
            Array.Resize(ref _buffer, 2 * _length);
        }
        return _socket.ReceiveAsync(_buffer.AsMemory(_length), CancellationToken.None);
    }

    /// <summary>Takes a part; returns whether it is the last one of its message.</summary>
    bool Take(ValueWebSocketReceiveResult part)
    {
        _length += part.Count;
        IsText = part.MessageType == WebSocketMessageType.Text;
        return part.EndOfMessage;
    }

    /// <summary>Does the same for a server that is not to close: then it throws.</summary>
    public async Task ReadAnswerAsync()
    {
        if (!await ReadAsync())
        {
            await CloseAsync(_socket);
            throw new WebSocketException($"closed by the server with {_socket.CloseStatus}");
        }
    }

    /// <summary>Starts the closing handshake, or answers it. How it goes does not matter.</summary>
    public static async Task CloseAsync(WebSocket socket)
    {
        try
        {
            await socket.CloseAsync(
                WebSocketCloseStatus.NormalClosure, "", CancellationToken.None);
        }
        catch (WebSocketException)
        {
            // The peer is gone.
        }
    }
}
