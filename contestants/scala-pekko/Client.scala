// Receives messages with Pekko HTTP, as its documentation shows: a sink for each message, and a source.

import autostrada.kit.ClientRun
import autostrada.kit.ClientRun.Action
import java.io.IOException
import org.apache.pekko.actor.ActorSystem
import org.apache.pekko.http.scaladsl.Http
import org.apache.pekko.http.scaladsl.model.ws.*
import org.apache.pekko.http.scaladsl.settings.ClientConnectionSettings
import org.apache.pekko.stream.{QueueOfferResult, StreamTcpException}
import org.apache.pekko.stream.scaladsl.{Flow, Keep, Sink, Source}
import scala.util.{Failure, Success}

final class Client(run: ClientRun)(using system: ActorSystem):
  import system.dispatcher

  private val transport = Transport()
  // Lazy: the first message may arrive before the library reports the connection as open.
  private lazy val counted = run.opened()
  private lazy val (response, (received, replies)) = Http().singleWebSocketRequest(
    WebSocketRequest(run.url.toString),
    Flow.fromSinkAndSourceMat(
      Messages.whole.toMat(Sink.foreach(receive))(Keep.right),
      Source.queue[Message](100_000) // Messages that may wait to be sent.
    )(Keep.both),
    settings = ClientConnectionSettings(system).withTransport(transport)
  )

  private def receive(message: Message): Unit =
    val action = message match
      case TextMessage.Strict(text) => counted.received(text)
      case BinaryMessage.Strict(bytes) => counted.received(bytes)
      case streamed => throw IllegalArgumentException(s"in parts: $streamed")
    if action == Action.CLOSE then replies.complete() // Closes the connection with code 1000.
    else if action == Action.REPLY && replies.offer(message) == QueueOfferResult.Dropped then
      throw IOException("the send queue is full")

  def open(): Unit =
    // The library does not report that there will be no response.
    val unanswered = transport.ended.map(_ => throw IOException("closed before it was opened"))
    scala.concurrent.Future.firstCompletedOf(Seq(response, unanswered)).onComplete {
      case Success(ValidUpgrade(_, _)) => counted
      case Success(InvalidUpgradeResponse(_, cause)) => run.fail(IOException(cause))
      case Failure(error) => run.fail(error)
    }
    received.onComplete { end =>
      if !replies.isCompleted then replies.complete() // One direction may continue after the other has ended.
      transport.ended.onComplete(_ => finish(end.failed.getOrElse(IOException("closed by the server"))))
    }

  private def finish(error: Throwable): Unit = error match
    case _: (IOException | StreamTcpException | PeerClosedConnectionException) => run.ended()
    case refusal => run.fail(refusal)

object Client:
  def main(arguments: Array[String]): Unit =
    val run = ClientRun.fromEnvironment()
    given ActorSystem = ActorSystem("client")
    for _ <- 1 to run.connections do Client(run).open()
    run.finish()
