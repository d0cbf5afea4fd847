"""An independent peer: a server and a client that use another WebSocket library."""
