# Serves with faye-websocket in Thin, as its README shows: a listener for each event.

require "faye/websocket"
require "set"
require "thin"

require "autostrada_kit"

Faye::WebSocket.load_adapter("thin")
Thin::Logging.silent = true # A server prints nothing.

PATHS = %w[/echo /publish /subscribe].freeze
SUBSCRIBERS = Set.new

def answer(env)
  path = env["PATH_INFO"]
  return [404, { "Content-Type" => "text/plain" }, []] unless PATHS.include?(path)
  return [426, { "Content-Type" => "text/plain" }, []] unless Faye::WebSocket.websocket?(env)

  ws = Faye::WebSocket.new(env)
  case path
  when "/echo" then ws.on(:message) { |event| ws.send(event.data) }
  when "/publish"
    ws.on(:message) { |event| SUBSCRIBERS.each { |subscriber| subscriber.send(event.data) } }
  when "/subscribe"
    SUBSCRIBERS.add(ws)
    ws.on(:close) { SUBSCRIBERS.delete(ws) }
  end
  ws.rack_response
end

AutostradaKit.run_server do |settings|
  # Otherwise SIGTERM would wait for all connections.
  server = Thin::Server.new(settings.host, settings.port, method(:answer), signals: false)
  server.timeout = 0 # The contract sets no limit for an idle connection.
  if settings.tls_cert
    server.ssl = true
    server.ssl_options = { private_key_file: settings.tls_key, cert_chain_file: settings.tls_cert }
  end
  EM.epoll
  server.start
end
