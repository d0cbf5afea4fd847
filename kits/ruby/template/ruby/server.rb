# Serves with LIBRARY, as its documentation shows.

require "autostrada_kit"

AutostradaKit.run_server do |settings|
  # LIBRARY: listen on settings.host and settings.port, without compression, for messages of up to
  # 16 MiB.
  # LIBRARY: send each message of a connection to /echo back unchanged.
  # LIBRARY: send each message of a connection to /publish to all connections to /subscribe.
  raise "server.rb lacks the calls of the library: #{settings.port}"
end
