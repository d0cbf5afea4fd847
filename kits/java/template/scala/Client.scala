// Receives with LIBRARY.

import autostrada.kit.Receiver

final class Client(receiver: Receiver):
  private var connection: Receiver.Connection = null

  // LIBRARY: open a connection to receiver.url, without compression, for messages of up to 16 MiB.
  // LIBRARY: call opened, received and closed and, if it cannot connect, receiver.fail(error).
  receiver.fail(UnsupportedOperationException("Client.scala lacks the calls of the library"))

  def opened(): Unit = connection = receiver.opened()

  def received(text: String): Unit =
    if connection.received(text) then
      () // LIBRARY: start the closing handshake with code 1000.

  def closed(): Unit = receiver.closed()

object Client:
  def main(arguments: Array[String]): Unit =
    val receiver = Receiver.fromEnvironment()
    for _ <- 1 to receiver.connections do Client(receiver)
    receiver.finish()
