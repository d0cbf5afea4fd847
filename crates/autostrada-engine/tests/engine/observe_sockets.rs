//! `observe` of real connections: transferred and queued bytes.

use std::collections::HashSet;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;

use serde_json::{Value, json};

use crate::observer::{Script, metric, observe, sample, sample_until};
use crate::process::Engine;

/// The sockets of a process in the first sample in which they fulfil a condition.
fn sockets(engine: &mut Engine, name: &str, is_match: impl Fn(&Value) -> bool) -> Value {
    let sample = sample_until(engine, |sample| {
        let sockets = &sample["sockets"][name];
        !sockets.is_null() && is_match(sockets)
    });
    sample["sockets"][name].clone()
}

fn has_connections(count: u64) -> impl Fn(&Value) -> bool {
    move |sockets| sockets["connections"] == count && sockets["sampled"] == count
}

/// Number and length of the messages of `echoed`.
const MESSAGES: u64 = 100;
const MESSAGE_BYTES: usize = 100;

/// Connects, and exchanges short messages one after the other.
fn echoed(port: u16) -> Script {
    Script::python(&format!(
        "
import socket, sys
connection = socket.create_connection(('127.0.0.1', {port}))
print('connected', flush=True)
sys.stdin.readline()
for _ in range({MESSAGES}):
    connection.sendall(bytes({MESSAGE_BYTES}))
    connection.recv({MESSAGE_BYTES}, socket.MSG_WAITALL)
print('exchanged', flush=True)
sys.stdin.readline()
"
    ))
}

#[test]
fn each_short_message_is_a_segment_and_acknowledgements_count() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut script = echoed(listener.local_addr().unwrap().port());
    let (mut peer, _) = listener.accept().unwrap();
    let mut engine = observe(&json!({"client": script.pid()}));
    let before = sockets(&mut engine, "client", has_connections(1));
    let echo = std::thread::spawn(move || {
        let mut message = [0; MESSAGE_BYTES];
        for _ in 0..MESSAGES {
            peer.read_exact(&mut message).unwrap();
            peer.write_all(&message).unwrap();
        }
        peer
    });
    script.resume();
    let _peer = echo.join().unwrap();
    let bytes = MESSAGES * MESSAGE_BYTES as u64;
    let grown = |after: &Value, key| metric(after, key) - metric(&before, key);
    let is_complete = |sockets: &Value| {
        ["sent_bytes", "received_bytes"]
            .iter()
            .all(|key| metric(sockets, key) >= metric(&before, key) + bytes)
    };
    let after = sockets(&mut engine, "client", is_complete);
    for (key, bytes_key) in [
        ("segments_out", "sent_bytes"),
        ("segments_in", "received_bytes"),
    ] {
        assert_eq!(grown(&after, bytes_key), bytes, "{after}");
        // An acknowledgement may travel with a message, or alone.
        let segments = grown(&after, key);
        assert!((MESSAGES..=2 * MESSAGES).contains(&segments), "{after}");
    }
}

/// Accepts one connection, and writes until its buffers are full.
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

/// Connects and does not read.
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
fn a_reader_that_does_not_read_has_a_full_queue_and_so_has_the_writer() {
    let mut writer = Script::python(WRITER);
    let reader = idler(&writer.ready);
    let sent: u64 = writer.read_line().parse().unwrap();
    let mut engine = observe(&json!({"reader": reader.pid(), "writer": writer.pid()}));
    // By then the queued bytes were moved from one queue to the other, too.
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
    assert_eq!(metric(reader, "receive_queues_filled"), 1);
    assert_eq!(metric(reader, "send_queues_filled"), 0);
    assert_eq!(metric(writer, "send_queues_filled"), 1);
    assert_eq!(metric(writer, "receive_queues_filled"), 0);
    assert_eq!(writer["send_queue_bytes_max"], writer["send_queue_bytes"]);
    assert!(metric(writer, "unsent_bytes") > 0, "{writer}");
    assert_eq!(
        metric(reader, "received_bytes"),
        metric(reader, "receive_queue_bytes")
    );
    // The writer continues to wait only for the reader's window.
    let limited_ns = metric(writer, "receive_window_limited_ns");
    let has_grown = |writer: &Value| metric(writer, "receive_window_limited_ns") > limited_ns;
    let later = sockets(&mut engine, "writer", has_grown);
    assert!(metric(&later, "busy_ns") >= metric(&later, "receive_window_limited_ns"));
}

#[test]
fn a_reported_connection_is_sampled_at_both_ends_until_it_is_closed() {
    let scripts = [Script::idle(), Script::idle()];
    let mut engine = observe(&json!({"one": scripts[0].pid(), "other": scripts[1].pid()}));
    // The connection is one of this process: a search would not find it.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let mut server = listener.accept().unwrap().0;
    server.write_all(&[0; 1_000]).unwrap();
    let command = json!({"connection": {
        "pid": scripts[0].pid(),
        "local": server.local_addr().unwrap(),
        "peer": server.peer_addr().unwrap(),
    }});
    engine.send(&command);
    // Reported twice, as by an engine at each end.
    engine.send(&command);
    let other = sockets(&mut engine, "other", has_connections(1));
    assert_eq!(metric(&other, "receive_queue_bytes"), 1_000);
    let one = sockets(&mut engine, "one", has_connections(1));
    assert_eq!(metric(&one, "sent_bytes"), 1_000);
    drop((client, server));
    let closed = sockets(&mut engine, "other", has_connections(0));
    assert_eq!(metric(&closed, "received_bytes"), 1_000);
}

/// The connections that an engine has reported to a file, as addresses of both ends.
fn reported(file: &Path, pid: u32) -> Vec<[String; 2]> {
    let text = std::fs::read_to_string(file).unwrap();
    std::fs::remove_file(file).unwrap();
    let address = |value: &Value| value.as_str().unwrap().to_owned();
    let read = |line: &str| {
        let command: Value = serde_json::from_str(line).unwrap();
        let connection = &command["connection"];
        assert_eq!(connection["pid"], pid);
        [address(&connection["local"]), address(&connection["peer"])]
    };
    text.lines().map(read).collect()
}

#[test]
fn the_engine_reports_its_first_connections_at_either_end() {
    let files = ["server", "client"].map(|end| {
        let file = std::env::temp_dir().join(format!("{end}-{}", std::process::id()));
        std::fs::write(&file, "").unwrap();
        file
    });
    let workload = json!({"kind": "push"});
    let (server, address) =
        Engine::serve(&json!({"format": 2, "workload": workload, "observer": files[0]}));
    let mut client = Engine::load(&json!({
        "format": 2,
        "url": format!("ws://{address}/1"),
        "workload": {"kind": "receive", "messages": 1},
        "connections": 300,
        "observer": files[1],
    }));
    let pids = [server.pid(), client.pid()];
    client.ready();
    assert_eq!(client.result()["messages"], 300);
    let [accepted, opened] = [0, 1].map(|end| reported(&files[end], pids[end]));
    assert_eq!((accepted.len(), opened.len()), (256, 256));
    let listens = address.to_string();
    assert!(accepted.iter().all(|[local, _]| *local == listens));
    assert!(opened.iter().all(|[_, peer]| *peer == listens));
    let ports: HashSet<&String> = opened.iter().map(|[local, _]| local).collect();
    assert_eq!(ports.len(), 256);
}

#[test]
fn sockets_of_another_network_namespace_are_sampled_or_reported_as_missing() {
    // The loopback device of a new namespace is enabled by SIOCSIFFLAGS.
    let text = "
import ctypes, fcntl, os, socket, struct, sys
NEW_USER, NEW_NETWORK, SET_FLAGS, UP = 0x10000000, 0x40000000, 0x8914, 1
wanted = NEW_NETWORK if os.geteuid() == 0 else NEW_USER | NEW_NETWORK
status = ctypes.CDLL(None).unshare(wanted)
if status == 0:
    with socket.socket() as any_socket:
        fcntl.ioctl(any_socket, SET_FLAGS, struct.pack('16sh22x', b'lo', UP))
    server = socket.create_server(('127.0.0.1', 0))
    client = socket.create_connection(server.getsockname())
    accepted, _ = server.accept()
    accepted.sendall(bytes(1000))
print(status, flush=True)
sys.stdin.readline()
";
    let script = Script::python(text);
    if script.ready != "0" {
        // This machine does not allow users to create network namespaces.
        return;
    }
    let mut engine = observe(&json!({"far": script.pid()}));
    let first = sample(&mut engine);
    let sockets = &first["sockets"]["far"];
    if let Some(why) = first["missing"]["sockets.far.connections"].as_str() {
        // Only root may enter the namespace.
        assert!(why.contains("another network"), "{why}");
        assert_eq!(metric(sockets, "connections"), 0);
    } else {
        assert_eq!(metric(sockets, "connections"), 2);
        assert_eq!(metric(sockets, "receive_queue_bytes"), 1_000);
        // These are counted in the namespace alone, which has just been created.
        assert_eq!(first["host"]["retransmits"], 0);
        let loopback_bytes = first["host"]["loopback_bytes"].as_u64().unwrap();
        assert!((1_000..10_000).contains(&loopback_bytes), "{first}");
    }
}
