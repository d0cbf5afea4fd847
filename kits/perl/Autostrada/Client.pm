# Counts the messages of a client, tells when to close, and prints the result: docs/contract.md,
# section 3.
#
# Call opened for each connection, the function that it returns for each message, and closed when the
# connection has ended. Call fail if it cannot be opened.

package Autostrada::Client;

use v5.36;
use Autostrada::Environment qw(read_choice read_count read_url);
use Autostrada::Process     qw(end_with);
use IO::Handle              ();
use List::Util              qw(max min sum0);
use Time::HiRes             qw(clock_gettime CLOCK_MONOTONIC);

# Creates the client that the environment variables describe.
sub from_environment ($class) {
    my $is_replying = read_choice('VERB', 'count', 'reply') eq 'reply';
    my $messages    = defined $ENV{MESSAGES} ? read_count('MESSAGES') : 0;
    return bless {
        url         => read_url('URL'),
        connections => read_count('CONNECTIONS', 1),
        # 0: until the server closes.
        messages    => $is_replying ? 0 : $messages,
        is_replying => $is_replying,
        opened      => [],
        closed      => 0,
    }, $class;
}

sub url ($self)         { return $self->{url} }
sub connections ($self) { return $self->{connections} }

# Whether each message is to be sent back.
sub is_replying ($self) { return $self->{is_replying} }

# Registers a connection that is open. Returns the function to call for each message, which returns
# true after the last message wanted: then start the closing handshake with code 1000.
sub opened ($self) {
    my $wanted     = $self->{messages};
    my $connection = {messages => 0, received_ns => undef};
    push @{$self->{opened}}, $connection;
    $self->{opened_ns} //= now_ns();
    return sub () {
        return 0 if ++$connection->{messages} != $wanted;
        $connection->{received_ns} = now_ns();
        return 1;
    };
}

# Registers the end of a connection. After the last one, prints the result and returns true.
sub closed ($self) {
    return 0 if ++$self->{closed} < $self->{connections};
    my @opened = @{$self->{opened}};
    # The library may deliver more while the connection closes. These messages are not counted.
    my $messages    = sum0(map { min($_->{messages}, $self->{messages} || $_->{messages}) } @opened);
    my $received_ns = max(map { $_->{received_ns} // now_ns() } @opened);
    printf qq({"event":"result","connections":%d,"messages":%d,"opened_ns":%d,"received_ns":%d}\n),
      scalar @opened, $messages, $self->{opened_ns}, $received_ns;
    STDOUT->flush;
    return 1;
}

# Ends the program with status 1 and a one-line reason.
sub fail ($self, $reason) {
    end_with(1, "$self->{url}: $reason");
}

sub now_ns () {
    return int(clock_gettime(CLOCK_MONOTONIC) * 1e9);
}

1;
