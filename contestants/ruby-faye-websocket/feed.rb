# Sends a feed to subscribers with faye-websocket.

require "eventmachine"

# A continuous feed waits for a subscriber for which EventMachine keeps more than this.
BUFFERED_MAX = 64 * 1024

def publish(feed)
  has_room = lambda do
    feed.subscribed.all? { |ws| ws.env["em.connection"].get_outbound_data_size < BUFFERED_MAX }
  end
  finally = -> { feed.subscribed.each { |ws| ws.close(1000) } }

  # Not within the handshake of the last subscriber: that would answer an exception with a 500.
  EM.next_tick do
    feed.publish(has_room: has_room, finally: finally) do |message|
      # What the library sends as binary is an Array of bytes.
      data = message.encoding == Encoding::BINARY ? message.bytes : message
      feed.subscribed.each { |ws| ws.send(data) }
    end
  end
end
