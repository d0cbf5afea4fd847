# Reads the clock, prints lines, and ends the program after a fatal error.

package Autostrada::Process;

use v5.36;
use Exporter    qw(import);
use IO::Handle  ();
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC);

our @EXPORT_OK = qw(clock_ns end_with print_line);

# Returns the time of the monotonic clock, in nanoseconds.
sub clock_ns () {
    return int(clock_gettime(CLOCK_MONOTONIC) * 1e9);
}

# Prints a line and flushes it.
sub print_line ($line) {
    say STDOUT $line;
    STDOUT->flush;
}

# Ends the program with status 1 and the first line of the reason.
sub end_with ($reason) {
    say STDERR $reason =~ s/\R.*//sr;
    exit 1;
}

1;
