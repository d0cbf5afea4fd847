# Echoes with LIBRARY.

use v5.36;

use Autostrada::Environment qw(read_count read_text);
use Autostrada::Process     qw(end_with);

my $host = read_text('HOST', '127.0.0.1');
my $port = read_count('PORT', undef, 65_535);

# LIBRARY: listen on $host and $port, without compression, for messages of up to 16 MiB.
# LIBRARY: send each message of a connection to /echo back unchanged.
end_with("server.pl lacks the calls of the library: $host:$port");
