# Receives messages with LIBRARY, as its documentation shows.

use v5.36;

use Autostrada::Client;

my $client = Autostrada::Client->from_environment;

for (1 .. $client->connections) {
    # LIBRARY: open a connection to $client->url, without compression, for messages of up to 16 MiB.
    $client->fail('client.pl lacks the calls of the library');
    my $received = $client->opened;

    # LIBRARY: call $received->() for each message. If $client->is_replying, send the message back with
    # the same type; else, when the call returns true, start the closing handshake with code 1000.

    # LIBRARY: call this when the connection has ended; true ends the program.
    my $closed = sub { $client->closed };
}
