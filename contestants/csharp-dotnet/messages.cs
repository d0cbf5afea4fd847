// Receives whole messages with System.Net.WebSockets, and closes connections.

using System;
using System.Net.WebSockets;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Autostrada.Kit;

/// <summary>The messages of one connection, each read into the same buffer.</summary>
sealed class Messages
{
    readonly WebSocket _socket;
    byte[] _buffer = new byte[16 * 1024];
    int _length;
    bool _isComplete;

    public Messages(WebSocket socket)
    {
        _socket = socket;
    }

    public ArraySegment<byte> Bytes => new ArraySegment<byte>(_buffer, 0, _length);

    public bool IsText { get; private set; }

    public string Text => Encoding.UTF8.GetString(_buffer, 0, _length);

    /// <summary>The part of the buffer for the next frame.</summary>
    public ArraySegment<byte> Free
    {
        get
        {
            if (_isComplete)
            {
                _length = 0;
                _isComplete = false;
            }
            else if (_length == _buffer.Length)
            {
                Array.Resize(ref _buffer, 2 * _length);
            }
            return new ArraySegment<byte>(_buffer, _length, _buffer.Length - _length);
        }
    }

    /// <summary>Adds what was received into the free part; returns whether it completes a
    /// message.</summary>
    public bool Add(WebSocketReceiveResult result)
    {
        _length += result.Count;
        IsText = result.MessageType == WebSocketMessageType.Text;
        _isComplete = result.EndOfMessage;
        return _isComplete;
    }

    /// <summary>Counts a complete message; returns whether all expected ones have
    /// arrived.</summary>
    public bool IsLastOf(ReceivingConnection connection)
    {
        return IsText ? connection.Received(Text) : connection.Received(Bytes);
    }

    /// <summary>Reads the next message; returns false if the peer closes.</summary>
    public async Task<bool> ReadAsync()
    {
        WebSocketReceiveResult result;
        do
        {
            result = await _socket.ReceiveAsync(Free, CancellationToken.None);
        }
        while (!Add(result));
        return result.MessageType != WebSocketMessageType.Close;
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
