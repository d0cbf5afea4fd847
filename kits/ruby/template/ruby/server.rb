# Echoes messages with LIBRARY.

require "autostrada_kit"

settings = AutostradaKit::ServerSettings.from_environment
# LIBRARY: listen on settings.host and settings.port, without compression, for messages of up to 16 MiB.
# LIBRARY: send each message of a connection to /echo back unchanged.
abort "server.rb lacks the calls of the library: #{settings.port}"
