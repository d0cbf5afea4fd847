# Receives the messages that a server pushes with LIBRARY.

require "autostrada_kit"

receiver = AutostradaKit::Receiver.from_environment

threads = Array.new(receiver.connections) do
  Thread.new do
    # LIBRARY: open a connection to receiver.url, without compression, for messages of up to 16 MiB.
    receiver.fail("client.rb lacks the calls of the library")
    connection = receiver.opened
    # LIBRARY: read each message until the server closes.
    [].each do |message|
      # LIBRARY: start the closing handshake with code 1000.
      break if connection.received(message)
    end
  end
end
threads.each(&:join)
receiver.finish
