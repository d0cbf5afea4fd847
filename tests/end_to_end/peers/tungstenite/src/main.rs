//! A server and a client of tungstenite: arguments are a role and settings as JSON, output is JSON.

mod message;

use std::io::{BufRead, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use message::Described;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tungstenite::client::client_with_config;
use tungstenite::protocol::WebSocketConfig;
use tungstenite::protocol::frame::CloseFrame;
use tungstenite::protocol::frame::coding::CloseCode;
use tungstenite::{Error, Message, WebSocket, accept_with_config};

/// What a server does with each connection before it echoes messages.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Serving {
    /// Messages to send.
    push: Vec<Described>,
    /// Whether a ping follows each message.
    ping: bool,
    /// Number of returned messages after which the server closes, and the close code.
    close: Option<(usize, u16)>,
}

/// Messages of a client, and how long it receives.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Talking {
    url: String,
    #[serde(default)]
    send: Vec<Described>,
    /// Number of messages after which the client closes; `None`: when the server closes.
    messages: Option<usize>,
}

/// Report on one connection.
#[derive(Debug, Default, Serialize)]
struct Seen {
    messages: Vec<Described>,
    pongs: usize,
    close_code: Option<u16>,
}

fn main() {
    let mut words = std::env::args().skip(1);
    let role = words.next().expect("say serve or talk");
    let settings = words.next().expect("give the settings");
    match role.as_str() {
        "serve" => serve(&serde_json::from_str(&settings).expect("settings of a server")),
        "talk" => print(&talk(
            &serde_json::from_str(&settings).expect("settings of a client"),
        )),
        other => panic!("{other} is neither serve nor talk"),
    }
}

fn print(line: &impl Serialize) {
    println!("{}", serde_json::to_string(line).expect("a line is JSON"));
    std::io::stdout().flush().expect("somebody reads");
}

/// Limits of 64 MiB, more than any message of the tests.
fn config() -> WebSocketConfig {
    WebSocketConfig::default()
        .max_message_size(Some(64 << 20))
        .max_frame_size(Some(64 << 20))
}

/// Serves until stdin ends; answers each line with a report when all clients have closed.
fn serve(serving: &Serving) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = listener.local_addr().expect("it listens");
    print(&json!({"url": format!("ws://{address}")}));
    let conversations = Arc::new(Mutex::new(Vec::new()));
    let (accepted, serving) = (Arc::clone(&conversations), serving.clone());
    thread::spawn(move || {
        for stream in listener.incoming() {
            let (stream, serving) = (stream.expect("a connection"), serving.clone());
            let conversation = thread::spawn(move || converse(stream, &serving));
            accepted
                .lock()
                .expect("no thread panics")
                .push(conversation);
        }
    });
    for _ in std::io::stdin().lock().lines() {
        let ended = std::mem::take(&mut *conversations.lock().expect("no thread panics"));
        let seen: Vec<_> = ended
            .into_iter()
            .map(|conversation| conversation.join().expect("no thread panics"))
            .collect();
        print(&seen);
    }
}

fn converse(stream: TcpStream, serving: &Serving) -> Seen {
    let mut seen = Seen::default();
    if stream.set_nodelay(true).is_ok()
        && let Ok(mut socket) = accept_with_config(stream, Some(config()))
    {
        // An error ends the conversation, whose report contains what was received before it.
        let _ = answer(&mut socket, serving, &mut seen);
    }
    seen
}

fn answer(
    socket: &mut WebSocket<TcpStream>,
    serving: &Serving,
    seen: &mut Seen,
) -> Result<(), Error> {
    for described in &serving.push {
        described.send(socket)?;
        if serving.ping {
            socket.send(Message::Ping("there?".into()))?;
        }
    }
    let mut count = 0;
    loop {
        let message = socket.read()?;
        match &message {
            Message::Close(close) => {
                seen.close_code = close.as_ref().map(|close| close.code.into());
            }
            Message::Pong(_) => seen.pongs += 1,
            Message::Text(_) | Message::Binary(_) => {
                count += 1;
                if serving.push.is_empty() {
                    socket.send(message)?;
                } else {
                    seen.messages.push(Described::of(&message));
                }
            }
            Message::Ping(_) | Message::Frame(_) => {}
        }
        if let Some((messages, code)) = serving.close
            && count == messages
        {
            count += 1;
            let code = CloseCode::from(code);
            let reason = "that was all".into();
            socket.close(Some(CloseFrame { code, reason }))?;
        }
    }
}

fn talk(talking: &Talking) -> Seen {
    let (_, rest) = talking.url.split_once("://").expect("an address");
    let authority = rest.split('/').next().expect("a host");
    let stream = TcpStream::connect(authority).expect("the server listens");
    stream.set_nodelay(true).expect("it is TCP");
    let opened = client_with_config(&talking.url, stream, Some(config()));
    let (mut socket, _) = opened.expect("the handshake succeeds");
    for described in &talking.send {
        described.send(&mut socket).expect("the server reads");
    }
    let mut seen = Seen::default();
    loop {
        match socket.read() {
            Ok(Message::Close(close)) => {
                seen.close_code = close.map(|close| close.code.into());
            }
            Ok(Message::Pong(_)) => seen.pongs += 1,
            Ok(message @ (Message::Text(_) | Message::Binary(_))) => {
                seen.messages.push(Described::of(&message));
                if Some(seen.messages.len()) == talking.messages {
                    let code = CloseCode::Normal;
                    let reason = "".into();
                    socket
                        .close(Some(CloseFrame { code, reason }))
                        .expect("it is open");
                }
            }
            Ok(Message::Ping(_) | Message::Frame(_)) => {}
            Err(Error::ConnectionClosed) => return seen,
            Err(error) => panic!("{error}"),
        }
    }
}
