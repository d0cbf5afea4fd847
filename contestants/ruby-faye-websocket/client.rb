# Receives messages with faye-websocket, as its README shows: a listener for each event.

require "eventmachine"
require "faye/websocket"

require "autostrada_kit"

client = AutostradaKit::Client.new

EM.epoll
EM.run do
  client.connections.times do
    ws = Faye::WebSocket::Client.new(client.url)
    connection = nil

    ws.on(:open) { connection = client.opened }

    ws.on :message do |event|
      case connection.received
      when :reply then ws.send(event.data)
      when :close then ws.close(1000)
      end
    end

    ws.on :error do |event|
      # For a reset, the message is an error class. A reset is a normal end of a connection.
      client.fail(event.message) unless connection && event.message.is_a?(Class)
    end

    ws.on :close do |event|
      client.fail("closed with #{event.code}") unless connection
      EM.stop if client.closed
    end
  end
end
