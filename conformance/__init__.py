"""The engine beside the Autobahn test suite, as a server and as a client."""
