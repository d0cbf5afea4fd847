# Exchanges echoes with Mojo::UserAgent.

use v5.36;
use Mojo::IOLoop;
use Mojo::UserAgent;

use Autostrada::Exchanger;

sub exchange () {
    my $exchanger = Autostrada::Exchanger->from_environment;
    my $text      = {text => $exchanger->payload};

    # The contract sets no limit for a connection without messages.
    my $ua = Mojo::UserAgent->new(inactivity_timeout => 0);

    for (1 .. $exchanger->connections) {
        $ua->websocket($exchanger->url => sub ($ua, $tx) {
            $exchanger->fail($tx->error ? $tx->error->{message} : 'the handshake failed')
              unless $tx->is_websocket;
            my $is_ongoing = 1;
            my $answered  = sub ($answer) {
                $is_ongoing = $exchanger->answered($answer);
                $is_ongoing ? $tx->send($text) : $tx->finish(1000);
            };

            # The "message" event does not distinguish text from binary.
            $tx->on(text   => sub ($tx, $answer) { $answered->($answer) });
            $tx->on(binary => sub ($tx, $answer) { $answered->(undef) });

            # At "finish", the close frame is not written yet.
            Mojo::IOLoop->stream($tx->connection)->on(close => sub {
                $exchanger->fail('the server has ended the connection') if $is_ongoing;
                Mojo::IOLoop->stop if $exchanger->closed;
            });

            $exchanger->opened;
            $tx->send($text);
        });
    }
    Mojo::IOLoop->start;
}

1;
