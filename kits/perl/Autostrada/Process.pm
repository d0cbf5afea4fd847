# The clock of a program, its lines, and its end where it cannot go on.

package Autostrada::Process;

use v5.36;
use Exporter    qw(import);
use IO::Handle  ();
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC);

our @EXPORT_OK = qw(clock_ns end_with print_line);

# Returns the instant in nanoseconds.
sub clock_ns () {
    return int(clock_gettime(CLOCK_MONOTONIC) * 1e9);
}

# Prints a line, at once.
sub print_line ($line) {
    say STDOUT $line;
    STDOUT->flush;
}

# Ends the program with status 1 and a reason, of which the first line is printed.
sub end_with ($reason) {
    say STDERR $reason =~ s/\R.*//sr;
    exit 1;
}

1;
