# Receives with LIBRARY.

use v5.36;

use Autostrada::Receiver;

# LIBRARY: call $report each time $seconds seconds have passed, while messages arrive.
my $receiver = Autostrada::Receiver->from_environment(sub ($seconds, $report) { });

for (1 .. $receiver->connections) {
    # LIBRARY: open a connection to $receiver->url, without compression.
    $receiver->fail('client.pl lacks the calls of the library');
    my $received = $receiver->opened;

    # LIBRARY: call $received->($message) for each message, a string or bytes; when it returns true, start the closing
    # handshake with code 1000.

    # LIBRARY: call this when the connection has ended; true ends the program.
    my $closed = sub { $receiver->closed };
}
