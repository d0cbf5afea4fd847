# Bots with faye-websocket.

require "eventmachine"
require "faye/websocket"

require "autostrada_kit"

def send_when_due
  bots = AutostradaKit::Bots.from_environment

  bots.connections.times do
    ws = Faye::WebSocket::Client.new(bots.url)
    bot = nil

    ws.on :open do
      send_event = ->(event) { ws.send(event) }
      bot = bots.opened(send_event: send_event, close: -> { ws.close(1000) })
    end

    ws.on(:message) { |event| bot.answered(event.data) }

    ws.on(:error) { |event| bots.fail(event.message) unless bot&.over? }

    ws.on :close do |event|
      bots.fail("closed with #{event.code}") unless bot&.over?
      EM.stop if bots.closed
    end
  end
end
