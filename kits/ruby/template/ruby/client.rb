# Receives messages with LIBRARY, as its documentation shows.

require "autostrada_kit"

client = AutostradaKit::Client.new

threads = Array.new(client.connections) do
  Thread.new do
    # LIBRARY: open a connection to client.url, without compression, for messages of up to
    # 16 MiB.
    client.fail("client.rb lacks the calls of the library")
    connection = client.opened
    # LIBRARY: read each message until the server closes.
    [].each do |message|
      case connection.received
      when :reply then message # LIBRARY: send the message back, with the same type.
      when :close then break # LIBRARY: start the closing handshake with code 1000.
      end
    end
  end
end
threads.each do |thread|
  thread.join
  client.closed
end
