//! `observe` beside real connections: what they carried, and what waits in them.

use std::io::{Read, Write};
use std::net::TcpListener;

use serde_json::{Value, json};

use crate::process::Engine;
use crate::watched::{Script, figure, observe, sample, sample_until};

const TRANSFER_BYTES: usize = 20_000_000;

/// The sockets of a process, in the first sample of which they are as they should be.
fn sockets(engine: &mut Engine, name: &str, is_so: impl Fn(&Value) -> bool) -> Value {
    let sample = sample_until(engine, |sample| {
        let sockets = &sample["sockets"][name];
        !sockets.is_null() && is_so(sockets)
    });
    sample["sockets"][name].clone()
}

fn has_connections(count: u64) -> impl Fn(&Value) -> bool {
    move |sockets| sockets["connections"] == count && sockets["sampled"] == count
}

/// Connects, sends what it is told to, and receives as much.
fn exchanger(port: u16) -> Script {
    Script::python(&format!(
        "
import socket, sys
connection = socket.create_connection(('127.0.0.1', {port}))
print('connected', flush=True)
sys.stdin.readline()
connection.sendall(bytes({TRANSFER_BYTES}))
print('sent', flush=True)
sys.stdin.readline()
left = {TRANSFER_BYTES}
while left:
    left -= len(connection.recv(65536))
print('received', flush=True)
sys.stdin.readline()
"
    ))
}

#[test]
fn bytes_are_those_that_were_sent_and_received() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut script = exchanger(listener.local_addr().unwrap().port());
    let (mut peer, _) = listener.accept().unwrap();
    let mut engine = observe(&json!({"exchanger": script.pid()}));
    let before = sockets(&mut engine, "exchanger", has_connections(1));
    let reader = std::thread::spawn(move || {
        peer.read_exact(&mut vec![0; TRANSFER_BYTES]).unwrap();
        peer
    });
    script.go_on();
    let mut peer = reader.join().unwrap();
    let bytes = TRANSFER_BYTES as u64;
    let expected = figure(&before, "sent_bytes") + bytes;
    let is_acknowledged = |sockets: &Value| figure(sockets, "sent_bytes") >= expected;
    let sent = sockets(&mut engine, "exchanger", is_acknowledged);
    let grown = |after: &Value, key| figure(after, key) - figure(&before, key);
    assert!(
        grown(&sent, "sent_bytes").abs_diff(bytes) * 1_000 <= bytes,
        "{sent}"
    );
    assert!(grown(&sent, "segments_out") >= bytes / 65_536, "{sent}");
    assert!(figure(&sent, "rtt_ns_median") > 0 && figure(&sent, "busy_ns") > 0);
    let writer = std::thread::spawn(move || {
        peer.write_all(&vec![0; TRANSFER_BYTES]).unwrap();
        peer
    });
    script.go_on();
    let _peer = writer.join().unwrap();
    let expected = figure(&before, "received_bytes") + bytes;
    let is_received = |sockets: &Value| figure(sockets, "received_bytes") >= expected;
    let received = sockets(&mut engine, "exchanger", is_received);
    assert!(
        grown(&received, "received_bytes").abs_diff(bytes) * 1_000 <= bytes,
        "{received}"
    );
    assert!(
        grown(&received, "segments_in") >= bytes / 65_536,
        "{received}"
    );
}

/// Accepts one connection, and fills it as far as that goes.
const WRITER: &str = "
import socket, sys
listener = socket.create_server(('::1', 0), family=socket.AF_INET6)
print(listener.getsockname()[1], flush=True)
connection, _ = listener.accept()
connection.setblocking(False)
sent = 0
while True:
    try:
        sent += connection.send(bytes(65536))
    except BlockingIOError:
        break
print(sent, flush=True)
sys.stdin.readline()
";

/// Connects, and does not read.
fn idler(port: &str) -> Script {
    Script::python(&format!(
        "
import socket, sys
connection = socket.create_connection(('::1', {port}))
print('connected', flush=True)
sys.stdin.readline()
"
    ))
}

#[test]
fn who_does_not_read_has_a_full_queue_and_so_has_who_writes() {
    let mut writer = Script::python(WRITER);
    let reader = idler(&writer.ready);
    let sent: u64 = writer.answer().parse().unwrap();
    let mut engine = observe(&json!({"reader": reader.pid(), "writer": writer.pid()}));
    // Also what waits was moved from one queue to the other by then.
    let both = sample_until(&mut engine, |sample| {
        let queues = [
            ("reader", "receive_queue_bytes"),
            ("writer", "send_queue_bytes"),
        ];
        let waiting = queues.map(|(name, key)| sample["sockets"][name][key].as_u64().unwrap_or(0));
        waiting.iter().sum::<u64>() == sent
    });
    let both = &both["sockets"];
    let (reader, writer) = (&both["reader"], &both["writer"]);
    assert_eq!(
        (&reader["connections"], &writer["connections"]),
        (&json!(1), &json!(1))
    );
    assert_eq!(figure(reader, "receive_queues_filled"), 1);
    assert_eq!(figure(reader, "send_queues_filled"), 0);
    assert_eq!(figure(writer, "send_queues_filled"), 1);
    assert_eq!(figure(writer, "receive_queues_filled"), 0);
    assert_eq!(writer["send_queue_bytes_max"], writer["send_queue_bytes"]);
    assert!(figure(writer, "unsent_bytes") > 0, "{writer}");
    assert_eq!(
        figure(reader, "received_bytes"),
        figure(reader, "receive_queue_bytes")
    );
    // It goes on waiting for the reader's window, and for nothing else.
    let limited_ns = figure(writer, "receive_window_limited_ns");
    let has_grown = |writer: &Value| figure(writer, "receive_window_limited_ns") > limited_ns;
    let later = sockets(&mut engine, "writer", has_grown);
    assert!(figure(&later, "busy_ns") >= figure(&later, "receive_window_limited_ns"));
}

/// As many connections with itself as it is told, in both its ends.
const CROWD: &str = "
import resource, socket, sys
limits = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (limits[1], limits[1]))
listener = socket.create_server(('127.0.0.1', 0), backlog=4096)
print('ready', flush=True)
ends = []
for line in sys.stdin:
    for _ in range(150):
        ends.append(socket.create_connection(listener.getsockname()))
        ends.append(listener.accept()[0])
        ends[-1].send(b'x' * 10)
    print('connected', flush=True)
";

#[test]
fn of_many_connections_all_are_counted_and_some_sampled() {
    let mut script = Script::python(CROWD);
    let mut engine = observe(&json!({"crowd": script.pid()}));
    script.go_on();
    let first = sockets(&mut engine, "crowd", |sockets| {
        sockets["connections"] == 300
    });
    assert_eq!(figure(&first, "sampled"), 256);
    let sum = figure(&first, "received_bytes");
    assert!((1..=2_560).contains(&sum), "{first}");
    script.go_on();
    let second = sockets(&mut engine, "crowd", |sockets| {
        sockets["connections"] == 600
    });
    assert_eq!(figure(&second, "sampled"), 256);
    // Those that come into the sample are as many as leave it, and nothing falls.
    assert!(
        figure(&second, "received_bytes") >= sum,
        "{first}, {second}"
    );
}

#[test]
fn a_connection_that_is_closed_still_counts() {
    let mut script = Script::python(
        "
import socket, sys
listener = socket.create_server(('127.0.0.1', 0))
client = socket.create_connection(listener.getsockname())
server, _ = listener.accept()
client.sendall(bytes(1000))
server.recv(1000, socket.MSG_WAITALL)
print('exchanged', flush=True)
sys.stdin.readline()
client.close()
server.close()
print('closed', flush=True)
sys.stdin.readline()
",
    );
    let mut engine = observe(&json!({"closer": script.pid()}));
    let is_acknowledged =
        |sockets: &Value| has_connections(2)(sockets) && sockets["send_queue_bytes"] == 0;
    let open = sockets(&mut engine, "closer", is_acknowledged);
    script.go_on();
    let closed = sockets(&mut engine, "closer", has_connections(0));
    for counter in [
        "sent_bytes",
        "received_bytes",
        "segments_out",
        "segments_in",
    ] {
        assert!(
            figure(&closed, counter) >= figure(&open, counter),
            "{counter}: {closed}"
        );
    }
    assert!(figure(&closed, "received_bytes") >= 1_000);
}

#[test]
fn sockets_of_another_network_are_not_known_and_it_says_so() {
    let text = "
import ctypes, os, sys
NEW_USER, NEW_NETWORK = 0x10000000, 0x40000000
wanted = NEW_NETWORK if os.geteuid() == 0 else NEW_USER | NEW_NETWORK
print(ctypes.CDLL(None).unshare(wanted), flush=True)
sys.stdin.readline()
";
    let script = Script::python(text);
    if script.ready != "0" {
        // This machine does not let its users have networks of their own.
        return;
    }
    let mut engine = observe(&json!({"far": script.pid()}));
    let first = sample(&mut engine);
    assert_eq!(figure(&first["sockets"]["far"], "connections"), 0);
    let why = first["missing"]["sockets.far.connections"]
        .as_str()
        .unwrap();
    assert!(why.contains("another network"), "{why}");
}
