"""Conformance tests of the engine, as server and client, with the Autobahn suite."""
