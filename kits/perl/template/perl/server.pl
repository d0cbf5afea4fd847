# Serves with LIBRARY, as its documentation shows.

use v5.36;

use Autostrada::Environment qw(read_listen);
use Autostrada::Process     qw(end_with);

my ($host, $port) = read_listen();

# LIBRARY: listen on $host and $port, without compression, for messages of up to 16 MiB.
# LIBRARY: send each message of a connection to /echo back unchanged.
# LIBRARY: send each message of a connection to /publish to all connections to /subscribe.
end_with(1, "server.pl lacks the calls of the library: $host:$port");
