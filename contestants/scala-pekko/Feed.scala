// Feeds an audience with Pekko HTTP.

import autostrada.kit.Feed as Kit
import java.util.Set
import org.apache.pekko.http.scaladsl.model.ws.{BinaryMessage, Message, TextMessage}
import org.apache.pekko.stream.scaladsl.SourceQueueWithComplete
import org.apache.pekko.util.ByteString
import scala.concurrent.Await
import scala.concurrent.duration.Duration
import scala.jdk.CollectionConverters.*

object Feed:
  type Member = SourceQueueWithComplete[Message]

  def publish(feed: Kit[Set[Member]]): Unit =
    for made <- feed.asScala do
      val message =
        if made.isText then TextMessage(made.text) else BinaryMessage(ByteString.fromArrayUnsafe(made.binary))
      val offers = feed.members.asScala.toSeq.map(_.offer(message))
      // Each is done when the member's queue has room.
      if feed.isContinuous then offers.foreach(Await.ready(_, Duration.Inf))
    feed.members.forEach(_.complete())
