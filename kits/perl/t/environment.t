# Tests that a variable is read, or that the program ends with a message that names it.

use v5.36;
use Test::More;

use Autostrada::Environment
  qw(read_choice read_count read_duration_ns read_text read_url read_window_ns);

# Returns the status and the last line of a program that reads a variable.
sub refused ($environment, $call) {
    local %ENV = (%ENV, %$environment);
    my $program = "use v5.36; use Autostrada::Environment qw($call->[0]); $call->[0]('$call->[1]')";
    open my $pipe, '-|', "$^X -I. -e \"$program\" 2>&1" or die $!;
    my @lines = <$pipe>;
    close $pipe;
    return ($? >> 8, $lines[-1]);
}

{
    local %ENV = (COUNT => '1000', URL => 'wss://[::1]:8008/echo', S => '1.5', KIND => 'json');
    is read_count('COUNT'),              1000;
    is read_count('MISSING', 1),         1;
    is read_url('URL'),                  'wss://[::1]:8008/echo';
    is read_duration_ns('S'),            1_500_000_000;
    is read_duration_ns('MISSING', '0'), 0;
    is read_window_ns('S'),              1_500_000_000;
    is read_text('MISSING', 'hello'),    'hello';
    is read_choice('KIND', 'xml', 'json'),    'json';
    is read_choice('MISSING', 'xml', 'json'), 'xml';
}

for my $case (
    [{}, 'read_text'],
    [{},                                   'read_count'],
    [{NAME => '0'},                        'read_count'],
    [{NAME => 'ten'},                      'read_count'],
    [{NAME => "1\n"},                      'read_count'],
    [{NAME => '1000000000000000'},         'read_count'],
    [{NAME => '-1'},                       'read_duration_ns'],
    [{NAME => '1.'},                       'read_duration_ns'],
    [{NAME => '0'},                        'read_window_ns'],
    [{NAME => 'http://127.0.0.1:80/'},     'read_url'],
    [{NAME => 'ws://'},                    'read_url'],
    [{NAME => 'ws://127.0.0.1:0/10'},      'read_url'],
    [{NAME => 'ws://127.0.0.1:99999/10'},  'read_url'],
    [{NAME => 'sing'},                     'read_choice'],
  )
{
    my ($environment, $function) = @$case;
    my ($status, $reason) = refused($environment, [$function, 'NAME']);
    my $given = $environment->{NAME} // 'no value';
    is $status,   2,        "$function refuses $given";
    like $reason, qr/^NAME/, "$function names the variable";
}

done_testing;
