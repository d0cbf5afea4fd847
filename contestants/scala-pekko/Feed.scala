// Sends a feed with Pekko HTTP.

import autostrada.kit.Feed as Kit
import java.util.Set
import org.apache.pekko.http.scaladsl.model.ws.{BinaryMessage, Message, TextMessage}
import org.apache.pekko.stream.scaladsl.SourceQueueWithComplete
import org.apache.pekko.util.ByteString
import scala.concurrent.Await
import scala.concurrent.duration.Duration
import scala.jdk.CollectionConverters.*

object Feed:
  type Subscriber = SourceQueueWithComplete[Message]

  def publish(feed: Kit[Set[Subscriber]]): Unit =
    for made <- feed.asScala do
      val message =
        if made.isText then TextMessage(made.text) else BinaryMessage(ByteString.fromArrayUnsafe(made.binary))
      val offers = feed.subscribed.asScala.toSeq.map(_.offer(message))
      // Each offer completes when the subscriber's queue has room.
      if feed.isContinuous then offers.foreach(Await.ready(_, Duration.Inf))
    feed.subscribed.forEach(_.complete())
