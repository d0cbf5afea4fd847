// Bots with Pekko HTTP.

import autostrada.kit.{Bot, Bots as Kit}
import org.apache.pekko.actor.ActorSystem
import org.apache.pekko.http.scaladsl.model.ws.{BinaryMessage, Message, TextMessage}

final class Bots(bots: Kit)(using ActorSystem) extends Handler:
  private val webSocket = Connection(bots.url)
  // An answer cannot be here before it is open.
  private lazy val bot: Bot = bots.opened(webSocket.send(_), () => webSocket.close())

  def opened(): Unit = bot

  def received(message: Message): Unit = message match
    case TextMessage.Strict(text) => bot.answered(text)
    case BinaryMessage.Strict(bytes) => bot.answered(bytes.asByteBuffer)
    case streamed => throw IllegalArgumentException(s"in parts: $streamed")

  def ended(error: Throwable): Unit =
    if !bot.isOver then bots.fail(error)
    bots.closed()

  def failed(error: Throwable): Unit = bots.fail(error)
  webSocket.open(this)

object Bots:
  def sendWhenDue()(using ActorSystem): Unit =
    val bots = Kit.fromEnvironment()
    for _ <- 1 to bots.connections do Bots(bots)
    bots.finish()
