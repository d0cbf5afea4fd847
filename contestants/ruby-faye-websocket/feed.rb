# Sends a feed with faye-websocket.

require "eventmachine"

# A continuous feed waits for a subscriber with more bytes buffered in EventMachine than this.
BUFFERED_MAX = 64 * 1024

def publish(feed)
  has_room = lambda do
    feed.subscribed.all? { |ws| ws.env["em.connection"].get_outbound_data_size < BUFFERED_MAX }
  end
  finally = -> { feed.subscribed.each { |ws| ws.close(1000) } }

  # Outside the last subscriber's handshake, which would turn an exception into status 500.
  EM.next_tick do
    feed.publish(has_room: has_room, finally: finally) do |message|
      # The library sends an Array of bytes as binary.
      data = message.encoding == Encoding::BINARY ? message.bytes : message
      feed.subscribed.each { |ws| ws.send(data) }
    end
  end
end
