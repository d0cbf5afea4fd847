# Receives messages with Mojo::UserAgent, as its documentation shows: a callback for each event.

use v5.36;
use Mojo::IOLoop;
use Mojo::UserAgent;
use Mojo::Util qw(decode);

use Autostrada::Client;

use constant MESSAGE_BYTES_MAX => 16 * 1024 * 1024;

my $client = Autostrada::Client->from_environment;

# The contract sets no limit for a connection without messages.
my $ua = Mojo::UserAgent->new(inactivity_timeout => 0);

for (1 .. $client->connections) {
    $ua->websocket($client->url => sub ($ua, $tx) {
        $client->fail($tx->error ? $tx->error->{message} : 'the handshake failed')
          unless $tx->is_websocket;
        # The contract requires messages of up to 16 MiB; the default is 256 KiB.
        $tx->max_websocket_size(MESSAGE_BYTES_MAX);
        my $received = $client->opened;

        if ($client->is_replying) {
            # The "message" event does not distinguish text from binary.
            $tx->on(text   => sub ($tx, $bytes) { $received->(); $tx->send(decode('UTF-8', $bytes)) });
            $tx->on(binary => sub ($tx, $bytes) { $received->(); $tx->send({binary => $bytes}) });
        }
        else {
            $tx->on(message => sub ($tx, $message) { $tx->finish(1000) if $received->() });
        }

        # At "finish", the close frame is not written yet.
        Mojo::IOLoop->stream($tx->connection)->on(close => sub {
            Mojo::IOLoop->stop if $client->closed;
        });
    });
}
Mojo::IOLoop->start;
