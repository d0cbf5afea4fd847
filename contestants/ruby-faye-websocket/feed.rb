# Feeds an audience with faye-websocket.

require "eventmachine"

# A continuous feed waits for a member for which EventMachine keeps more than this.
BUFFERED_MAX = 64 * 1024

def publish(feed)
  has_room = lambda do
    feed.members.all? { |ws| ws.env["em.connection"].get_outbound_data_size < BUFFERED_MAX }
  end
  finally = -> { feed.members.each { |ws| ws.close(1000) } }

  # Not within the handshake of the last member: that would answer an exception with a 500.
  EM.next_tick do
    feed.play(has_room: has_room, finally: finally) do |message|
      # What the library sends as binary is an Array of bytes.
      data = message.encoding == Encoding::BINARY ? message.bytes : message
      feed.members.each { |ws| ws.send(data) }
    end
  end
end
