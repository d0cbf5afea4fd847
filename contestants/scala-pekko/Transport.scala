// TCP that also reports the end of the connection: only then has everything been sent.

import org.apache.pekko.Done
import org.apache.pekko.actor.ActorSystem
import org.apache.pekko.http.scaladsl.ClientTransport
import org.apache.pekko.http.scaladsl.settings.ClientConnectionSettings
import scala.concurrent.{Future, Promise}

final class Transport extends ClientTransport:
  private val end = Promise[Done]()

  def ended: Future[Done] = end.future

  def connectTo(host: String, port: Int, settings: ClientConnectionSettings)(using system: ActorSystem) =
    ClientTransport.TCP.connectTo(host, port, settings).watchTermination() { (connected, done) =>
      end.completeWith(done)
      connected
    }
