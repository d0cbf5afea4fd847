"""A feed: a server sends each message to everybody, and clients say what came."""
