# Receives with LIBRARY.

use v5.36;

use Autostrada::Receiver;

# LIBRARY: call $report each time $seconds seconds have passed, while messages arrive.
my $receiver = Autostrada::Receiver->from_environment(sub ($seconds, $report) { });

for (1 .. $receiver->connections) {
    # LIBRARY: open a connection to $receiver->url, without compression.
    $receiver->fail('client.pl lacks the calls of the library');
    my $connection = $receiver->opened;

    # LIBRARY: call this for each message.
    my $received = sub ($message) {
        return if --$connection->{left};
        $receiver->received_all($connection);
        # LIBRARY: start the closing handshake with code 1000.
    };

    # LIBRARY: call this when the connection has ended; true ends the program.
    my $closed = sub { $receiver->closed };
}
