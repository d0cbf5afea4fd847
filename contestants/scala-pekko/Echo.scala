// Exchanges echoes with Pekko HTTP.

import autostrada.kit.Exchanger
import org.apache.pekko.actor.ActorSystem
import org.apache.pekko.http.scaladsl.model.ws.{BinaryMessage, Message, TextMessage}

final class Echo(exchanger: Exchanger)(using ActorSystem) extends Handler:
  private val webSocket = Connection(exchanger.url, this)
  // No answer can arrive before the connection is open.
  private lazy val exchange = exchanger.opened()

  def opened(): Unit =
    exchange
    webSocket.send(exchanger.payload)

  def received(message: Message): Unit =
    val isOngoing = message match
      case TextMessage.Strict(text) => exchange.answered(text)
      case BinaryMessage.Strict(bytes) => exchange.answered(bytes.asByteBuffer)
      case streamed => throw IllegalArgumentException(s"in parts: $streamed")
    if isOngoing then webSocket.send(exchanger.payload) else webSocket.close()

  def ended(error: Throwable): Unit =
    if !exchange.isOver then exchanger.fail(error)
    exchanger.closed()

  def failed(error: Throwable): Unit = exchanger.fail(error)
  webSocket.open()

object Echo:
  def exchange()(using ActorSystem): Unit =
    val exchanger = Exchanger.fromEnvironment()
    for _ <- 1 to exchanger.connections do Echo(exchanger)
    exchanger.finish()
