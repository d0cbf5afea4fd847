# Echoes messages and sends a feed with faye-websocket in Thin.

require "faye/websocket"
require "socket"
require "thin"

require "autostrada_kit"
require_relative "feed"

Faye::WebSocket.load_adapter("thin")
Thin::Logging.silent = true # stdout is reserved for the contract's lines.

SETTINGS = AutostradaKit::ServerSettings.from_environment
SUBSCRIBERS = AutostradaKit::Subscribers.new(SETTINGS.feed) { |feed| publish(feed) }

# Lets several processes listen on one port, which Thin does not support.
class SharedPort < Thin::Backends::TcpServer
  def initialize(host, port, _options)
    super(host, port)
  end

  def connect
    listener = Socket.new(:INET, :STREAM)
    listener.setsockopt(:SOCKET, :REUSEPORT, true)
    listener.bind(Addrinfo.tcp(@host, @port))
    listener.listen(Socket::SOMAXCONN)
    @signature = EM.attach_server(listener, Thin::Connection, &method(:initialize_connection))
  end
end

def answer(env)
  return [426, { "Content-Type" => "text/plain" }, []] unless Faye::WebSocket.websocket?(env)

  ws = Faye::WebSocket.new(env)
  if env["PATH_INFO"] == "/feed"
    leave = SUBSCRIBERS.join(ws)
    ws.on(:close) { leave.call }
  else
    ws.on(:message) { |event| ws.send(event.data) }
  end
  ws.rack_response
end

AutostradaKit.run_workers(SETTINGS.workers) do
  options = { signals: false }
  options[:backend] = SharedPort if SETTINGS.workers > 1
  server = Thin::Server.new(SETTINGS.host, SETTINGS.port, method(:answer), options)
  server.timeout = 0 # The contract sets no limit for an idle connection.
  if SETTINGS.tls_cert
    server.ssl = true
    server.ssl_options = { private_key_file: SETTINGS.tls_key, cert_chain_file: SETTINGS.tls_cert }
  end
  EM.epoll
  server.start
end
