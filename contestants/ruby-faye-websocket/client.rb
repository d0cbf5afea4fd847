# Receives messages with faye-websocket.

require "eventmachine"
require "faye/websocket"

require "autostrada_kit"
require_relative "echo"

def receive
  receiver = AutostradaKit::Receiver.from_environment
  connected = receiver.connections

  receiver.connections.times do
    ws = Faye::WebSocket::Client.new(receiver.url)
    connection = nil

    ws.on(:open) { connection = receiver.opened }

    ws.on(:message) { |event| ws.close(1000) if connection.received(event.data) }

    ws.on :error do |event|
      # For a reset, the message is an error class. A reset is a normal end of a connection.
      receiver.fail(event.message) unless connection && event.message.is_a?(Class)
      warn event.message
    end

    ws.on :close do |event|
      receiver.fail("closed with #{event.code}") unless connection
      connected -= 1
      next unless connected.zero?

      receiver.finish
      EM.stop
    end
  end
end

workloads = { "receive" => :receive, "echo" => :exchange }
workload = AutostradaKit.choose("WORKLOAD", *workloads.keys)
EM.epoll
EM.run { send(workloads[workload]) }
