// Receives whole messages with System.Net.WebSockets, and closes connections.

using System;
using System.Net.WebSockets;
using System.Threading;
using System.Threading.Tasks;

/// <summary>The messages of one connection, each read into the same buffer.</summary>
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

    /// <summary>Reads the next message; returns false if the peer closes.</summary>
    public ValueTask<bool> ReadAsync()
    {
        _length = 0;
        var reading = _socket.ReceiveAsync(_buffer.AsMemory(), CancellationToken.None);
        // Most messages have arrived completely, and then need no asynchronous state machine.
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

    /// <summary>Adds a part; returns whether it completes the message.</summary>
    bool Take(ValueWebSocketReceiveResult part)
    {
        _length += part.Count;
        IsText = part.MessageType == WebSocketMessageType.Text;
        return part.EndOfMessage;
    }

    /// <summary>Reads the next message; throws if the server closes.</summary>
    public async Task ReadAnswerAsync()
    {
        if (!await ReadAsync())
        {
            await CloseAsync(_socket);
            throw new WebSocketException($"closed by the server with {_socket.CloseStatus}");
        }
    }

    /// <summary>Starts or answers the closing handshake. Its outcome does not matter.</summary>
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
