# Tests of what a client does after each message, and of its result.

use v5.36;
use Test::More;

use Autostrada::Client;

my ($now_ns, @lines);

sub client (%settings) {
    ($now_ns, @lines) = (81_000_000_000);
    return Autostrada::Client->new(
        connections => 1,
        messages    => 0,
        is_replying => 0,
        clock       => sub { $now_ns },
        print       => sub ($line) { push @lines, $line },
        %settings,
    );
}

{
    my $client = client(connections => 2, messages => 2);
    for my $received ($client->opened, $client->opened) {
        my @is_last = map { $now_ns += 10; $received->() } 1 .. 3;
        is_deeply \@is_last, [0, 1, 0], 'a counting client closes after the last message wanted';
    }
    $now_ns += 900;
    ok !$client->closed, 'one of two is closed';
    ok $client->closed,  'both are closed';
    is_deeply \@lines, [
        '{"event":"result","connections":2,"messages":4,"opened_ns":81000000000,"received_ns":81000000050}'
      ],
      'the result has the instant of the last message wanted';
}

for my $settings ({messages => 3}, {messages => 1, is_replying => 1}, {}) {
    my $client   = client(%$settings);
    my $received = $client->opened;
    is_deeply [$received->(), $received->()], [0, 0], 'the connection stays open';
    $now_ns += 500;
    ok $client->closed, 'it is closed by the server';
    is_deeply \@lines, [
        '{"event":"result","connections":1,"messages":2,"opened_ns":81000000000,"received_ns":81000000500}'
      ],
      'without a last message the result has its own instant';
}

done_testing;
