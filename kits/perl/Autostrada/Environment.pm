# Reads single environment variables; ends the program with status 2 if one is wrong.

package Autostrada::Environment;

use v5.36;
use Autostrada::Process qw(end_with);
use Exporter            qw(import);
use List::Util          qw(any);

our @EXPORT_OK = qw(read_choice read_count read_listen read_text read_url);

use constant COUNT_MAX => 10**15 - 1;

# Returns the host and the port of a server.
sub read_listen () {
    return (read_text('HOST', '127.0.0.1'), read_count('PORT', undef, 65_535));
}

# Returns the value of a variable or its default; without a default the variable is required.
sub read_text ($name, $default = undef) {
    return $ENV{$name} // $default // end_with(2, "$name is not set");
}

# Returns a variable with a fixed set of values; the first one is the default.
sub read_choice ($name, @choices) {
    my $value = read_text($name, $choices[0]);
    return $value if any { $_ eq $value } @choices;
    refuse($name, $value, join ' or ', map { "'$_'" } @choices);
}

# Returns a whole number from 1 to $max.
sub read_count ($name, $default = undef, $max = COUNT_MAX) {
    my $value = read_text($name, $default);
    return $value + 0 if $value =~ /\A[1-9][0-9]{0,14}\z/ && $value <= $max;
    refuse($name, $value, "a whole number from 1 to $max");
}

# Returns the server's address.
sub read_url ($name) {
    my $value = read_text($name);
    my ($port) = $value =~ m{\Awss?://(?:[^/:\[\]?#\s]+|\[[0-9A-Fa-f:.]+\])(?::([0-9]+))?(?:[/?]\S*)?\z}
      or refuse($name, $value, 'like ws://127.0.0.1:8008/1000');
    return $value if !defined $port || ($port > 0 && $port < 65_536);
    refuse($name, $value, 'with a port from 1 to 65535');
}

sub refuse ($name, $value, $rule) {
    end_with(2, "$name must be $rule, not '" . ($value =~ s/\R/ /gr) . "'");
}

1;
