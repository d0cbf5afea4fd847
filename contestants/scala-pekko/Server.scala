// Serves with Pekko HTTP, as its documentation shows: a flow of messages for each connection. Publishers
// and subscribers share a MergeHub and a BroadcastHub.

import autostrada.kit.ServerSettings
import org.apache.pekko.actor.ActorSystem
import org.apache.pekko.http.scaladsl.{ConnectionContext, Http}
import org.apache.pekko.http.scaladsl.model.*
import org.apache.pekko.http.scaladsl.model.ws.Message
import org.apache.pekko.stream.OverflowStrategy
import org.apache.pekko.stream.scaladsl.{BroadcastHub, Flow, Keep, MergeHub, Sink, Source}

final class Server(settings: ServerSettings)(using system: ActorSystem):
  import system.dispatcher

  private val (publishing, published) =
    MergeHub.source[Message].toMat(BroadcastHub.sink[Message])(Keep.both).run()
  // Without a subscriber, the hub would wait for one.
  published.runWith(Sink.ignore)

  private val flows = Map(
    "/echo" -> Messages.whole,
    "/publish" -> Flow.fromSinkAndSourceCoupled(Messages.whole.to(publishing), Source.maybe[Message]),
    "/subscribe" -> Flow.fromSinkAndSourceCoupled(
      Messages.whole.to(Sink.ignore),
      // The hub would wait for the slowest subscriber: one whose buffer is full is disconnected.
      published.buffer(10_000, OverflowStrategy.fail)
    )
  )

  private def answer(request: HttpRequest): HttpResponse =
    (request.attribute(AttributeKeys.webSocketUpgrade), flows.get(request.uri.path.toString)) match
      case (Some(upgrade), Some(flow)) => upgrade.handleMessages(flow)
      case _ => HttpResponse(StatusCodes.NotFound)

  def listen(): Unit =
    val plain = Http().newServerAt(settings.host, settings.port)
    val server =
      if settings.tlsContext == null then plain
      else plain.enableHttps(ConnectionContext.httpsServer(settings.tlsContext))
    server.bindSync(answer).failed.foreach(settings.fail(_))

object Server:
  def main(arguments: Array[String]): Unit =
    val settings = ServerSettings.fromEnvironment()
    given ActorSystem = ActorSystem("server")
    Server(settings).listen()
