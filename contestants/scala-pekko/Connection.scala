// A connection of Pekko HTTP's client: an outgoing queue, a handler, and its end.

import java.io.IOException
import java.net.URI
import org.apache.pekko.Done
import org.apache.pekko.actor.ActorSystem
import org.apache.pekko.http.scaladsl.{ClientTransport, Http}
import org.apache.pekko.http.scaladsl.model.ws.*
import org.apache.pekko.http.scaladsl.settings.ClientConnectionSettings
import org.apache.pekko.stream.QueueOfferResult.Dropped
import org.apache.pekko.stream.scaladsl.{Flow, Keep, Sink, Source}
import scala.concurrent.{Future, Promise}
import scala.util.{Failure, Success}

/** Handles the events of a workload's connection. */
trait Handler:
  def opened(): Unit
  def received(message: Message): Unit
  def ended(error: Throwable): Unit
  def failed(error: Throwable): Unit

final class Connection(url: URI, handler: Handler)(using system: ActorSystem):
  import system.dispatcher

  private val hasEnded = Promise[Done]()

  /** TCP that also reports the end of the connection: only then has everything been sent. */
  private object Transport extends ClientTransport:
    def connectTo(host: String, port: Int, settings: ClientConnectionSettings)(using ActorSystem) =
      ClientTransport.TCP.connectTo(host, port, settings).watchTermination() { (connected, done) =>
        hasEnded.completeWith(done)
        connected
      }

  // Lazy: another thread that sends or closes waits until the connection exists.
  private lazy val (response, (received, queue)) = Http().singleWebSocketRequest(
    WebSocketRequest(url.toString),
    Flow.fromSinkAndSourceMat(
      Messages.whole.toMat(Sink.foreach(handler.received))(Keep.right),
      // Messages that may be queued for sending.
      Source.queue[Message](100_000)
    )(Keep.both),
    settings = ClientConnectionSettings(system).withTransport(Transport)
  )

  def send(text: String): Unit =
    if queue.offer(TextMessage(text)) == Dropped then throw IOException("the send queue is full")

  /** Starts or answers the closing handshake, with code 1000. */
  def close(): Unit = queue.complete()

  def open(): Unit =
    // The library does not report that there will be no response.
    val unanswered = hasEnded.future.map(_ => throw IOException("closed before it was opened"))
    val opened = Future.firstCompletedOf(Seq(response, unanswered)).map {
      case ValidUpgrade(_, _) => handler.opened()
      case InvalidUpgradeResponse(_, cause) => throw IOException(cause)
    }
    // One direction of a connection may continue after the other has ended.
    received.onComplete(_ => close())
    opened.onComplete {
      case Failure(error) => handler.failed(error)
      case Success(_) =>
        val ended = received.transformWith(end => hasEnded.future.transform(_ => end))
        ended.onComplete(end => handler.ended(end.failed.getOrElse(IOException("closed by the server"))))
    }
