# Reads and validates single environment variables; ends the program if one is wrong.

package Autostrada::Environment;

use v5.36;
use Exporter   qw(import);
use List::Util qw(any);

our @EXPORT_OK = qw(read_choice read_count read_duration_ns read_text read_url read_window_ns);

use constant COUNT_MAX => 10**15 - 1;

# Returns the value of a variable or its default; without a default the variable is required.
sub read_text ($name, $default = undef) {
    return $ENV{$name} // $default // refuse("$name is missing: set it in the environment");
}

# Returns a variable with a fixed set of values; the first one is the default.
sub read_choice ($name, @choices) {
    my $value = read_text($name, $choices[0]);
    return $value if any { $_ eq $value } @choices;
    refuse("$name must be " . join(' or ', @choices) . ", not '$value'");
}

# Returns a whole number from 1 to $max.
sub read_count ($name, $default = undef, $max = COUNT_MAX) {
    my $value = read_text($name, $default);
    return $value + 0 if $value =~ /\A[1-9][0-9]{0,14}\z/ && $value <= $max;
    refuse("$name must be a whole number from 1 to $max, not '$value'");
}

# Reads a number of seconds; returns nanoseconds.
sub read_duration_ns ($name, $default = undef) {
    my $value = read_text($name, $default);
    my ($whole, $part) = $value =~ /\A([0-9]{1,6})(?:\.([0-9]{1,9}))?\z/
      or refuse("$name must be seconds like 2 or 0.5, not '$value'");
    return $whole * 1_000_000_000 + substr(($part // '') . '0' x 9, 0, 9);
}

# Reads a number of seconds greater than 0; returns nanoseconds.
sub read_window_ns ($name) {
    return read_duration_ns($name) || refuse("$name must be more than 0: nothing would count");
}

# Returns the server's address.
sub read_url ($name) {
    my $value = read_text($name);
    my ($port) = $value =~ m{\Awss?://(?:[^/:\[\]?#\s]+|\[[0-9A-Fa-f:.]+\])(?::([0-9]+))?(?:[/?]\S*)?\z}
      or refuse("$name must be like ws://127.0.0.1:8008/1000, not '$value'");
    return $value if !defined $port || ($port > 0 && $port < 65_536);
    refuse("$name must have a port from 1 to 65535, not $port");
}

# Ends the program with status 2 and a one-line reason.
sub refuse ($reason) {
    say STDERR $reason =~ s/\R/ /gr;
    exit 2;
}

1;
