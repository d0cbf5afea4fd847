# Exchanges echoes with faye-websocket.

require "eventmachine"
require "faye/websocket"

require "autostrada_kit"

def exchange
  exchanger = AutostradaKit::Exchanger.from_environment

  exchanger.connections.times do
    ws = Faye::WebSocket::Client.new(exchanger.url)
    is_ongoing = true

    ws.on :open do
      exchanger.opened
      ws.send(exchanger.payload)
    end

    ws.on :message do |event|
      is_ongoing = exchanger.answered(event.data)
      if is_ongoing
        ws.send(exchanger.payload)
      else
        ws.close(1000)
      end
    end

    ws.on(:error) { |event| exchanger.fail(event.message) if is_ongoing }

    ws.on :close do |event|
      exchanger.fail("closed with #{event.code}") if is_ongoing
      EM.stop if exchanger.closed
    end
  end
end
