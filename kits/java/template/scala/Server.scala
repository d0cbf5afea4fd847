// Serves with LIBRARY, as its documentation shows.

import autostrada.kit.ServerSettings

object Server:
  def main(arguments: Array[String]): Unit =
    val settings = ServerSettings.fromEnvironment()
    // LIBRARY: listen on settings.host and settings.port, without compression, for messages of up to
    // ServerSettings.MESSAGE_BYTES_MAX.
    // LIBRARY: send each message of a connection to /echo back unchanged.
    // LIBRARY: send each message of a connection to /publish to all connections to /subscribe.
    // LIBRARY: refuse other paths.
    settings.fail(UnsupportedOperationException("Server.scala lacks the calls of the library"))
