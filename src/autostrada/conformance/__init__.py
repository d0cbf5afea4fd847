"""The Autobahn test suite, run against the engine and contestants in each role."""
