# Adds up the messages that a client receives and prints its lines: docs/contract.md, sections 3 and
# 4.
#
# Call opened for each connection, the function that it returns for each message, and closed for each
# connection that is closed. Call fail if a connection cannot be opened.

package Autostrada::Receiver;

use v5.36;
use Autostrada::Environment qw(read_choice read_count read_url);
use Autostrada::Process     qw(clock_ns end_with print_line);
use File::Basename          qw(basename dirname);
use File::Spec;
use List::Util qw(max min sum0);

use constant SECOND_NS => 1_000_000_000;

# Creates the receiver that the environment variables describe. $later calls a function after a
# number of seconds.
sub from_environment ($class, $later) {
    return $class->new(
        url         => read_url('URL'),
        messages    => read_count('MESSAGES'),
        connections => read_count('CONNECTIONS', 1),
        lines       => read_choice('LINES', 'json', 'autoroute'),
        later       => $later,
        clock       => \&clock_ns,
        print       => \&print_line,
    );
}

sub new ($class, %settings) {
    return bless {
        %settings,
        opened     => [],
        closed     => 0,
        seconds    => 0,    # number of printed seconds
        printed    => 0,    # messages in the printed seconds
        is_over    => 0,
    }, $class;
}

sub url ($self)         { return $self->{url} }
sub connections ($self) { return $self->{connections} }

# Registers an open connection and returns the function to call with each of its messages. It returns
# true once all expected messages have arrived: then close the connection.
sub opened ($self) {
    my $connection = {messages => 0, received_ns => undef};
    push @{$self->{opened}}, $connection;
    if (!defined $self->{opened_ns}) {
        $self->{opened_ns} = $self->{clock}->();
        $self->report;
    }
    return sub ($message) {
        return 0 if ++$connection->{messages} < $self->{messages};
        $connection->{received_ns} //= $self->{clock}->();
        return 1;
    };
}

# Prints the seconds that have ended, and schedules itself for the end of the next one.
sub report ($self) {
    return if $self->{is_over};
    my $now_ns      = $self->{clock}->();
    my $received_ns = $self->all_received_ns;
    $self->print_seconds($received_ns // $now_ns);
    return if defined $received_ns;
    my $left_ns = $self->next_end_ns - $now_ns;
    $self->{later}->($left_ns / SECOND_NS, sub { $self->report });
}

# Registers that a connection is closed. After the last one, prints the result and returns true.
sub closed ($self) {
    return 0 if ++$self->{closed} < $self->{connections};
    # If messages are missing, received_ns is the time of this call.
    my $received_ns = $self->all_received_ns // $self->{clock}->();
    $self->print_seconds($received_ns);
    $self->{is_over} = 1;
    $self->print_result($received_ns);
    return 1;
}

# Ends the program with the reason why nothing can be received.
sub fail ($self, $reason) {
    end_with("cannot receive from $self->{url}: $reason");
}

sub messages ($self) {
    # The library may deliver more while the connection closes. These messages are not counted.
    return sum0(map { min($_->{messages}, $self->{messages}) } @{$self->{opened}});
}

# Returns the time of the last message of all connections, or undef while messages are missing.
sub all_received_ns ($self) {
    my @received_ns = grep { defined } map { $_->{received_ns} } @{$self->{opened}};
    return @received_ns == $self->{connections} ? max(@received_ns) : undef;
}

sub next_end_ns ($self) {
    return $self->{opened_ns} + ($self->{seconds} + 1) * SECOND_NS;
}

sub print_seconds ($self, $until_ns) {
    # After a stall of several seconds, the first of them is credited with all messages: their times
    # of arrival are unknown.
    while ($until_ns >= $self->next_end_ns) {
        my $messages = $self->messages;
        my $more     = $messages - $self->{printed};
        $self->{print}->(
            $self->{lines} eq 'json'
            ? qq({"event":"second","second":$self->{seconds},"messages":$more})
            : "messages received per second: $more"
        );
        $self->{seconds}++;
        $self->{printed} = $messages;
    }
}

sub print_result ($self, $received_ns) {
    my $connections = @{$self->{opened}};
    my $messages    = $self->messages;
    my $ms          = int(($received_ns - $self->{opened_ns} + 500_000) / 1_000_000);
    my $name        = basename(dirname(File::Spec->rel2abs($0)));
    $self->{print}->(
        $self->{lines} eq 'json'
        ? qq({"event":"result","connections":$connections,"messages":$messages,)
          . qq("opened_ns":$self->{opened_ns},"received_ns":$received_ns})
        : "AUTOROUTE $name :: $ms ms"
    );
}

1;
