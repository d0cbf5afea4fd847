# Reads variables of the environment, or ends the program with the one that is wrong.

package Autostrada::Environment;

use v5.36;
use Exporter   qw(import);
use List::Util qw(any);

our @EXPORT_OK = qw(read_choice read_count read_duration_ns read_text read_url read_window_ns);

use constant COUNT_MAX => 10**15 - 1;

# Returns a variable, or its default; without a default it must be there.
sub read_text ($name, $default = undef) {
    return $ENV{$name} // $default // refuse("$name is missing: set it in the environment");
}

# Returns one of few values; the first is the default.
sub read_choice ($name, @choices) {
    my $value = read_text($name, $choices[0]);
    return $value if any { $_ eq $value } @choices;
    refuse("$name must be " . join(' or ', @choices) . ", not '$value'");
}

# Returns a whole number, at least 1.
sub read_count ($name, $default = undef, $max = COUNT_MAX) {
    my $value = read_text($name, $default);
    return $value + 0 if $value =~ /\A[1-9][0-9]{0,14}\z/ && $value <= $max;
    refuse("$name must be a whole number from 1 to $max, not '$value'");
}

# Returns seconds, as nanoseconds.
sub read_duration_ns ($name, $default = undef) {
    my $value = read_text($name, $default);
    my ($whole, $part) = $value =~ /\A([0-9]{1,6})(?:\.([0-9]{1,9}))?\z/
      or refuse("$name must be seconds like 2 or 0.5, not '$value'");
    return $whole * 1_000_000_000 + substr(($part // '') . '0' x 9, 0, 9);
}

# Returns seconds that must be more than 0, as nanoseconds.
sub read_window_ns ($name) {
    return read_duration_ns($name) || refuse("$name must be more than 0: nothing would count");
}

# Returns where to connect.
sub read_url ($name) {
    my $value = read_text($name);
    my ($port) = $value =~ m{\Awss?://(?:[^/:\[\]?#\s]+|\[[0-9A-Fa-f:.]+\])(?::([0-9]+))?(?:[/?]\S*)?\z}
      or refuse("$name must be like ws://127.0.0.1:8008/1000, not '$value'");
    return $value if !defined $port || ($port > 0 && $port < 65_536);
    refuse("$name must have a port from 1 to 65535, not $port");
}

# Ends the program: the environment does not say what to do. The reason is one line.
sub refuse ($reason) {
    say STDERR $reason =~ s/\R/ /gr;
    exit 2;
}

1;
