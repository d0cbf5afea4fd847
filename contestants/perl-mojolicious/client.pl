# Receives messages with Mojo::UserAgent.

use v5.36;
use FindBin qw($Bin);
use Mojo::IOLoop;
use Mojo::UserAgent;

use Autostrada::Environment qw(read_choice);
use Autostrada::Receiver;

require "$Bin/echo.pl";

sub receive () {
    my $receiver = Autostrada::Receiver->from_environment(
        sub ($seconds, $report) { Mojo::IOLoop->timer($seconds => $report) });

    # The contract sets no limit for a connection without messages.
    my $ua = Mojo::UserAgent->new(inactivity_timeout => 0);

    for (1 .. $receiver->connections) {
        $ua->websocket($receiver->url => sub ($ua, $tx) {
            $receiver->fail($tx->error ? $tx->error->{message} : 'the handshake failed')
              unless $tx->is_websocket;
            my $received = $receiver->opened;

            $tx->on(message => sub ($tx, $message) {
                $tx->finish(1000) if $received->($message);
            });

            # At "finish", the close frame is not written yet.
            Mojo::IOLoop->stream($tx->connection)->on(close => sub {
                Mojo::IOLoop->stop if $receiver->closed;
            });
        });
    }
    Mojo::IOLoop->start;
}

read_choice('WORKLOAD', 'receive', 'echo') eq 'echo' ? exchange() : receive();
