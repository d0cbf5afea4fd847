# Echoes messages with Mojolicious::Lite in Mojo::Server::Daemon.

use v5.36;
use Mojolicious::Lite -signatures;
use Mojo::Server::Daemon;

use Autostrada::Environment qw(read_count read_text);
use Autostrada::Process     qw(end_with);

use constant MESSAGE_BYTES_MAX => 16 * 1024 * 1024;

my $host = read_text('HOST', '127.0.0.1');
my $port = read_count('PORT', undef, 65_535);

websocket '/echo' => sub ($c) {
    # The contract requires messages of up to 16 MiB; the default is 256 KiB.
    $c->tx->max_websocket_size(MESSAGE_BYTES_MAX);

    # The "message" event does not distinguish text from binary.
    $c->on(text   => sub ($c, $bytes) { $c->send({text   => $bytes}) });
    $c->on(binary => sub ($c, $bytes) { $c->send({binary => $bytes}) });
};

my $daemon = Mojo::Server::Daemon->new(
    app                => app,
    listen             => ["http://$host:$port"],
    silent             => 1,         # stdout is reserved for the contract's lines.
    inactivity_timeout => 0,         # The contract sets no limit for an idle connection
    max_clients        => 1_000_000  # and none for their number; the default is 1,000.
);
eval { $daemon->run; 1 } or end_with($@);
