// Echoes messages and sends a feed with Pekko HTTP.

import autostrada.kit.{Subscribers, ServerSettings}
import org.apache.pekko.NotUsed
import org.apache.pekko.actor.ActorSystem
import org.apache.pekko.http.scaladsl.{ConnectionContext, Http}
import org.apache.pekko.http.scaladsl.model.*
import org.apache.pekko.http.scaladsl.model.ws.Message
import org.apache.pekko.stream.OverflowStrategy
import org.apache.pekko.stream.scaladsl.{Flow, Keep, Sink, Source}

final class Server(settings: ServerSettings)(using system: ActorSystem):
  import system.dispatcher
  private val subscribers = Subscribers.of[Feed.Subscriber](settings, Feed.publish(_))

  private def subscriber: Flow[Message, Message, NotUsed] =
    val source =
      if settings.isContinuous then Source.queue[Message](16, OverflowStrategy.backpressure)
      else Source.queue[Message](10_000, OverflowStrategy.fail) // Disconnects slow subscribers.
    Flow.fromSinkAndSourceCoupledMat(Sink.ignore, source)(Keep.right).mapMaterializedValue { queue =>
      val leave = subscribers.join(queue)
      queue.watchCompletion().onComplete(_ => leave.run())
      NotUsed
    }

  private def answer(request: HttpRequest): HttpResponse =
    request.attribute(AttributeKeys.webSocketUpgrade) match
      case Some(upgrade) =>
        val isSubscriber = request.uri.path == Uri.Path("/feed")
        upgrade.handleMessages(if isSubscriber then subscriber else Messages.whole)
      case None => HttpResponse(StatusCodes.BadRequest)

  def listen(): Unit =
    val plain = Http().newServerAt(settings.host, settings.port)
    val server =
      if settings.hasTls then plain.enableHttps(ConnectionContext.httpsServer(settings.tlsContext))
      else plain
    server.bindSync(answer).failed.foreach(settings.fail(_))

object Server:
  def main(arguments: Array[String]): Unit =
    val settings = ServerSettings.fromEnvironment()
    given ActorSystem = ActorSystem("server")
    Server(settings).listen()
