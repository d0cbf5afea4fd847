# Tests that a variable is read, or that the program ends with a message that names it.

use v5.36;
use Test::More;

use Autostrada::Environment qw(read_choice read_count read_listen read_text read_url);

# Returns the status and the output of a program.
sub run_perl ($environment, $code) {
    local %ENV = (%ENV, %$environment);
    open my $pipe, '-|', "$^X -I. -e \"use v5.36; $code\" 2>&1" or die $!;
    my $output = join '', <$pipe>;
    close $pipe;
    return ($? >> 8, $output);
}

{
    local %ENV = (COUNT => '1000', URL => 'wss://[::1]:8008/echo', KIND => 'json', PORT => '8008');
    is read_count('COUNT'),                   1000;
    is read_count('MISSING', 1),              1;
    is read_url('URL'),                       'wss://[::1]:8008/echo';
    is read_text('MISSING', 'hello'),         'hello';
    is read_choice('KIND', 'xml', 'json'),    'json';
    is read_choice('MISSING', 'xml', 'json'), 'xml';
    is_deeply [read_listen()], ['127.0.0.1', 8008];
}

for my $case (
    [{}, 'read_text'],
    [{},                               'read_count'],
    [{NAME => '0'},                    'read_count'],
    [{NAME => 'ten'},                  'read_count'],
    [{NAME => "1\n"},                  'read_count'],
    [{NAME => '1000000000000000'},     'read_count'],
    [{NAME => 'http://127.0.0.1:80/'}, 'read_url'],
    [{NAME => 'ws://'},                'read_url'],
    [{NAME => 'ws://127.0.0.1:0/10'},  'read_url'],
    [{NAME => 'ws://127.0.0.1:99999'}, 'read_url'],
    [{NAME => 'sing'},                 'read_choice'],
  )
{
    my ($environment, $function) = @$case;
    my ($status, $reason) =
      run_perl($environment, "use Autostrada::Environment qw($function); $function('NAME')");
    my $given = $environment->{NAME} // 'no value';
    is $status,   2,                "$function refuses $given";
    like $reason, qr/\ANAME .*\n\z/, "$function names the variable";
}

{
    my ($status, $reason) =
      run_perl({PORT => '65536'}, 'use Autostrada::Environment qw(read_listen); read_listen()');
    is $status,   2,                 'a server refuses PORT=65536';
    like $reason, qr/\APORT .*\n\z/, 'it names PORT';
}

my $client = 'use Autostrada::Client; my \\$c = Autostrada::Client->from_environment';
for my $wrong ([MESSAGES => '0'], [CONNECTIONS => 'two'], [VERB => 'sing']) {
    my ($name, $value) = @$wrong;
    my ($status, $reason) = run_perl({URL => 'ws://h/', $name => $value}, $client);
    is $status,   2,                 "a client refuses $name=$value";
    like $reason, qr/\A$name .*\n\z/, "it names $name";
}
is_deeply [run_perl({URL => 'ws://h/'}, "$client; \\\$c->fail(qq(no\\nroute))")], [1, "ws://h/: no\n"],
  'a failure is one line and status 1';

done_testing;
