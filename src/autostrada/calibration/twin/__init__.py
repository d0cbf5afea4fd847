"""A server and a client on another library: the engine does not judge itself."""
