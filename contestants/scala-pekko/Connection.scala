// A connection of Pekko HTTP's client: a queue to it, a function from it, and its end.

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

/** What a workload does when something happens to its connection. */
trait Handler:
  def opened(): Unit
  def received(message: Message): Unit
  def ended(error: Throwable): Unit
  def failed(error: Throwable): Unit

final class Connection(url: URI)(using system: ActorSystem):
  import system.dispatcher

  // Of what is sent but not taken, so much is kept.
  private val (queue, source) = Source.queue[Message](100_000).preMaterialize()
  private val hasEnded = Promise[Done]()

  /** TCP, which also tells when it has ended: that all has been sent is not to be known before. */
  private object Transport extends ClientTransport:
    def connectTo(host: String, port: Int, settings: ClientConnectionSettings)(using ActorSystem) =
      ClientTransport.TCP.connectTo(host, port, settings).watchTermination() { (connected, done) =>
        hasEnded.completeWith(done)
        connected
      }

  def send(text: String): Unit =
    if queue.offer(TextMessage(text)) == Dropped then throw IOException("too much is not taken")

  /** Starts the closing handshake, or answers it, with 1000. */
  def close(): Unit = queue.complete()

  def open(handler: Handler): Unit =
    val sink = Messages.whole.toMat(Sink.foreach(handler.received))(Keep.right)
    val (response, taken) = Http().singleWebSocketRequest(
      WebSocketRequest(url.toString),
      Flow.fromSinkAndSourceMat(sink, source)(Keep.left),
      settings = ClientConnectionSettings(system).withTransport(Transport)
    )
    // The library never says that there will be no response.
    val unanswered = hasEnded.future.map(_ => throw IOException("closed before it was opened"))
    val opened = Future.firstCompletedOf(Seq(response, unanswered)).map {
      case ValidUpgrade(_, _) => handler.opened()
      case InvalidUpgradeResponse(_, cause) => throw IOException(cause)
    }
    // Half of a connection may go on when the other has ended.
    taken.onComplete(_ => close())
    opened.onComplete {
      case Failure(error) => handler.failed(error)
      case Success(_) =>
        val ended = taken.transformWith(end => hasEnded.future.transform(_ => end))
        ended.onComplete(end => handler.ended(end.failed.getOrElse(IOException("closed by the server"))))
    }
