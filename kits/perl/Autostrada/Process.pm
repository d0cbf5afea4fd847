# Ends a program.

package Autostrada::Process;

use v5.36;
use Exporter qw(import);

our @EXPORT_OK = qw(end_with);

# Ends the program with a status, and the first line of the reason on stderr.
sub end_with ($status, $reason) {
    say STDERR $reason =~ s/\R.*//sr;
    exit $status;
}

1;
