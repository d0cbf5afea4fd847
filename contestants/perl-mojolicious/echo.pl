# Exchanges echoes with Mojo::UserAgent.

use v5.36;
use Mojo::IOLoop;
use Mojo::UserAgent;

use Autostrada::Exchanger;

sub exchange () {
    my $exchanger = Autostrada::Exchanger->from_environment;
    my $text      = {text => $exchanger->payload};

    # The contract knows no limit for a connection on which nothing is received.
    my $ua = Mojo::UserAgent->new(inactivity_timeout => 0);

    for (1 .. $exchanger->connections) {
        $ua->websocket($exchanger->url => sub ($ua, $tx) {
            $exchanger->fail($tx->error ? $tx->error->{message} : 'the handshake failed')
              unless $tx->is_websocket;
            my $is_wanted = 1;
            my $answered  = sub ($answer) {
                $is_wanted = $exchanger->answered($answer);
                $is_wanted ? $tx->send($text) : $tx->finish(1000);
            };

            # A "message" does not tell whether it is a text.
            $tx->on(text   => sub ($tx, $answer) { $answered->($answer) });
            $tx->on(binary => sub ($tx, $answer) { $answered->(undef) });

            # At "finish" the closing frame is still to be written.
            Mojo::IOLoop->stream($tx->connection)->on(close => sub {
                $exchanger->fail('the server has ended the connection') if $is_wanted;
                Mojo::IOLoop->stop if $exchanger->closed;
            });

            $exchanger->opened;
            $tx->send($text);
        });
    }
    Mojo::IOLoop->start;
}

1;
