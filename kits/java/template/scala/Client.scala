// Receives messages with LIBRARY, as its documentation shows.

import autostrada.kit.ClientRun
import autostrada.kit.ClientRun.Action

final class Client(run: ClientRun):
  private lazy val counted = run.opened()

  // LIBRARY: open a connection to run.url, without compression, for messages of up to
  // ServerSettings.MESSAGE_BYTES_MAX.
  // LIBRARY: call opened, received and ended and, if it cannot connect or refuses a message, run.fail(error).
  run.fail(UnsupportedOperationException("Client.scala lacks the calls of the library"))

  def opened(): Unit = counted

  def received(text: String): Unit = counted.received(text) match
    case Action.REPLY => () // LIBRARY: send the message back.
    case Action.CLOSE => () // LIBRARY: start the closing handshake with code 1000.
    case _ => ()

  def ended(): Unit = run.ended()

object Client:
  def main(arguments: Array[String]): Unit =
    val run = ClientRun.fromEnvironment()
    for _ <- 1 to run.connections do Client(run)
    run.finish()
