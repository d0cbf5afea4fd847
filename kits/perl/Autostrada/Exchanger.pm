# Counts a client's echoes and prints its result line: docs/contract.md, section 5.
#
# Call opened for each connection, answered for each answer, and closed for each connection after
# its exchange is over. Call fail if a connection cannot be opened or ends early.

package Autostrada::Exchanger;

use v5.36;
use Autostrada::Environment qw(read_count read_duration_ns read_text read_url read_window_ns);
use Autostrada::Process     qw(clock_ns end_with print_line);

# Creates the exchanger that the environment variables describe.
sub from_environment ($class) {
    return $class->new(
        window_ns   => read_window_ns('WINDOW_S'),
        url         => read_url('URL'),
        warm_up_ns  => read_duration_ns('WARM_UP_S', 0),
        connections => read_count('CONNECTIONS', 1),
        payload     => read_text('PAYLOAD', 'hello world'),
        clock       => \&clock_ns,
        print       => \&print_line,
    );
}

sub new ($class, %settings) {
    return bless {%settings, opened => 0, closed => 0, echoed => 0, wrong => 0}, $class;
}

sub url ($self)         { return $self->{url} }
sub connections ($self) { return $self->{connections} }

# The text to send, encoded as UTF-8.
sub payload ($self) { return $self->{payload} }

# Registers an open connection, which must then send its first message.
sub opened ($self) {
    return if ++$self->{opened} < $self->{connections};
    $self->{begins_ns} = $self->{clock}->() + $self->{warm_up_ns};
}

# Counts an answer: UTF-8 bytes, or undef for a binary message. Returns true to send the next
# message, false to close the connection with code 1000.
sub answered ($self, $text) {
    my $begins_ns  = $self->{begins_ns};
    my $elapsed_ns = defined $begins_ns ? $self->{clock}->() - $begins_ns : -1;
    if (!defined $text || $text ne $self->{payload}) {
        $self->{wrong}++;
    }
    elsif ($elapsed_ns >= 0 && $elapsed_ns < $self->{window_ns}) {
        $self->{echoed}++;
    }
    return $elapsed_ns < $self->{window_ns};
}

# Registers that a connection is closed. After the last one, prints the result and returns true.
sub closed ($self) {
    return 0 if ++$self->{closed} < $self->{connections};
    $self->{print}->(
        qq({"event":"result","connections":$self->{opened},"echoed":$self->{echoed},)
          . qq("wrong":$self->{wrong},"window_ns":$self->{window_ns}}));
    return 1;
}

# Ends the program with the reason why the exchange is impossible.
sub fail ($self, $reason) {
    end_with("cannot exchange with $self->{url}: $reason");
}

1;
