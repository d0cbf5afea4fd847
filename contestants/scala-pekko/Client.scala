// Receives messages with Pekko HTTP.

import autostrada.kit.{Receiver, Variables}
import java.io.IOException
import org.apache.pekko.actor.ActorSystem
import org.apache.pekko.http.scaladsl.model.ws.*
import org.apache.pekko.stream.StreamTcpException
import scala.concurrent.Await
import scala.concurrent.duration.Duration

final class Client(receiver: Receiver)(using ActorSystem) extends Handler:
  private val webSocket = Connection(receiver.url, this)
  // The first message may arrive before the library reports the connection as open.
  private lazy val connection = receiver.opened()

  def opened(): Unit = connection

  def received(message: Message): Unit =
    val isComplete = message match
      case TextMessage.Strict(text) => connection.received(text)
      case BinaryMessage.Strict(bytes) => connection.received(bytes.asByteBuffer)
      case streamed => throw IllegalArgumentException(s"in parts: $streamed")
    if isComplete then webSocket.close()

  def ended(error: Throwable): Unit = error match
    case _: (IOException | StreamTcpException | PeerClosedConnectionException) => receiver.closed()
    case refusal => receiver.fail(refusal)

  def failed(error: Throwable): Unit = receiver.fail(error)
  webSocket.open()

object Client:
  private def receive()(using ActorSystem): Unit =
    val receiver = Receiver.fromEnvironment()
    for _ <- 1 to receiver.connections do Client(receiver)
    receiver.finish()

  def main(arguments: Array[String]): Unit =
    val workload = Variables.choose("WORKLOAD", "receive", "echo")
    given system: ActorSystem = ActorSystem("client")
    workload match
      case "echo" => Echo.exchange()
      case _ => receive()
    Await.ready(system.terminate(), Duration.Inf)
