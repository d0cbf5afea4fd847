# Tests that a failure is one line.

use v5.36;
use Test::More;

my $code = 'use Autostrada::Client; Autostrada::Client->from_environment->fail(qq(no\nroute))';
{
    local $ENV{URL} = 'ws://h/';
    is `$^X -I. -e '$code' 2>&1`, "ws://h/: no\n";
    is $? >> 8, 1;
}

done_testing;
