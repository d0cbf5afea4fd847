# Tests of the counts and the printed lines.

use v5.36;
use Test::More;

use Autostrada::Receiver;

my ($now_ns, @lines, @due);

sub receiver (%settings) {
    ($now_ns, @lines, @due) = (5_000_000_000);
    return Autostrada::Receiver->new(
        messages    => 3,
        connections => 1,
        lines       => 'json',
        later       => sub ($seconds, $report) { push @due, [$seconds, $report] },
        clock       => sub { $now_ns },
        print       => sub ($line) { push @lines, $line },
        %settings,
    );
}

sub receive ($received, $messages) {
    $received->('hello') for 1 .. $messages;
}

{
    my $receiver   = receiver();
    my $received = $receiver->opened;
    is $due[0][0], 1, 'the first second ends a second after the connection is open';
    $now_ns += 1_000;
    receive($received, 3);
    $now_ns += 1_000;
    ok $receiver->closed, 'all connections are closed';
    is_deeply \@lines, [
        '{"event":"result","connections":1,"messages":3,"opened_ns":5000000000,"received_ns":5000001000}'
      ],
      'the result has the time of the last message';
}

{
    my $receiver   = receiver(messages => 10);
    my $received = $receiver->opened;
    receive($received, 4);
    $now_ns += 1_000_000_000;
    $due[-1][1]->();
    receive($received, 2);
    $now_ns += 2_500_000_000;
    $due[-1][1]->();
    is_deeply \@lines, [
        '{"event":"second","second":0,"messages":4}',
        '{"event":"second","second":1,"messages":2}',
        '{"event":"second","second":2,"messages":0}',
      ],
      'after a stall the first second counts all messages';
    is $due[-1][0], 0.5, 'the next second ends when it would have ended without the stall';
    receive($received, 4);
    my $due = @due;
    $due[-1][1]->();
    is scalar @due, $due, 'nothing is due after the last message';
}

{
    my $receiver = receiver();
    receive($receiver->opened, 1);
    $now_ns += 10_000;
    $receiver->closed;
    like $lines[-1], qr/"messages":1,.*"received_ns":5000010000/, 'an early end is a result';
}

{
    my $receiver    = receiver(connections => 2);
    my @connections = map { $receiver->opened } 1 .. 2;
    receive($connections[0], 5);
    receive($connections[1], 3);
    ok !$receiver->closed, 'one of two is closed';
    ok $receiver->closed, 'both are closed';
    like $lines[-1], qr/"connections":2,"messages":6,/, 'messages after the last expected one are not counted';
}

{
    my $receiver = receiver(lines => 'autoroute', messages => 1);
    my $received = $receiver->opened;
    $now_ns += 1_234_500_000;
    receive($received, 1);
    $receiver->closed;
    is $lines[0], 'messages received per second: 1', 'a second in the autoroute format';
    is $lines[1], 'AUTOROUTE t :: 1235 ms',          'a result in the autoroute format';
}

done_testing;
