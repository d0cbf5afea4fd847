# Serves with Mojolicious::Lite in Mojo::Server::Daemon, as its tutorial and its example of a chat
# show: a callback for each event, and an event emitter that subscribers listen to.

use v5.36;
use Mojolicious::Lite -signatures;
use Mojo::EventEmitter;
use Mojo::Server::Daemon;

use Autostrada::Environment qw(read_listen);
use Autostrada::Process     qw(end_with);

use constant MESSAGE_BYTES_MAX => 16 * 1024 * 1024;

my ($host, $port) = read_listen();
my $published = Mojo::EventEmitter->new;

under sub ($c) {
    # The contract requires messages of up to 16 MiB; the default is 256 KiB.
    $c->tx->max_websocket_size(MESSAGE_BYTES_MAX);
};

# The "message" event of a connection does not distinguish text from binary.
websocket '/echo' => sub ($c) {
    $c->on(text   => sub ($c, $bytes) { $c->send({text   => $bytes}) });
    $c->on(binary => sub ($c, $bytes) { $c->send({binary => $bytes}) });
};

websocket '/publish' => sub ($c) {
    $c->on(text   => sub ($c, $bytes) { $published->emit(message => {text   => $bytes}) });
    $c->on(binary => sub ($c, $bytes) { $published->emit(message => {binary => $bytes}) });
};

websocket '/subscribe' => sub ($c) {
    my $forward = $published->on(message => sub ($emitter, $message) { $c->send($message) });
    $c->on(finish => sub { $published->unsubscribe(message => $forward) });
};

my $daemon = Mojo::Server::Daemon->new(
    app                => app,
    listen             => ["http://$host:$port"],
    silent             => 1,         # A server prints nothing.
    inactivity_timeout => 0,         # The contract sets no limit for an idle connection
    max_clients        => 1_000_000  # and none for their number; the default is 1,000.
);
eval { $daemon->run; 1 } or end_with(1, $@);
