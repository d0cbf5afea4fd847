# Tests of the echo counts and the result line.

use v5.36;
use Test::More;

use Autostrada::Exchanger;

my ($now_ns, @lines) = (0);
my $exchanger = Autostrada::Exchanger->new(
    payload     => 'hello',
    connections => 2,
    warm_up_ns  => 100,
    window_ns   => 1000,
    clock       => sub { $now_ns },
    print       => sub ($line) { push @lines, $line },
);

$exchanger->opened;
ok $exchanger->answered('hello'), 'an answer before all connections are open gets a next message';
$now_ns = 50;
$exchanger->opened;
$now_ns = 149;
ok $exchanger->answered('hello'), 'so does one in the warm-up';
$now_ns = 150;
ok $exchanger->answered('hello'), 'and one in the window';
ok $exchanger->answered('hullo'), 'and a wrong one';
ok $exchanger->answered(undef),   'and a binary one';
$now_ns = 1150;
ok !$exchanger->answered('hello'), 'after the window the connection must be closed';
ok !$exchanger->closed, 'one of two is closed';
ok $exchanger->closed,  'both are closed';
is_deeply \@lines, ['{"event":"result","connections":2,"echoed":1,"wrong":2,"window_ns":1000}'],
  'the result counts the answers in the window';

done_testing;
