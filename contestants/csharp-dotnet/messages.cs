// Joins the frames of a message with System.Net.WebSockets, for client and server.

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
    bool _isComplete;

    public Messages(WebSocket socket)
    {
        _socket = socket;
    }

    public ArraySegment<byte> Payload => new ArraySegment<byte>(_buffer, 0, _length);

    public WebSocketMessageType Type { get; private set; }

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
        Type = result.MessageType;
        _isComplete = result.EndOfMessage;
        return _isComplete;
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
}
