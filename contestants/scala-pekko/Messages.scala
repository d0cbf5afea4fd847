// Collects all parts of Pekko HTTP's messages: other libraries deliver whole messages.

import org.apache.pekko.NotUsed
import org.apache.pekko.actor.ActorSystem
import org.apache.pekko.http.scaladsl.model.ws.{BinaryMessage, Message, TextMessage}
import org.apache.pekko.stream.scaladsl.Flow
import scala.concurrent.duration.DurationInt

object Messages:
  private val limit = 10.seconds

  def whole(using ActorSystem): Flow[Message, Message, NotUsed] = Flow[Message].mapAsync(1) {
    case text: TextMessage => text.toStrict(limit)
    case binary: BinaryMessage => binary.toStrict(limit)
  }
