//! Sends what publishers send to all subscribers. Each subscriber has a queue, as in the chat
//! example of tokio-tungstenite, and a thread that sends what waits in it.

use std::io::{ErrorKind::WouldBlock, Read, Write};
use std::iter::repeat_with;
use std::net::{Shutdown, TcpStream};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::spawn;

use tungstenite::{Error, Message, WebSocket};

static SUBSCRIBERS: Mutex<Vec<Sender<Message>>> = Mutex::new(Vec::new());

pub fn publish(mut websocket: WebSocket<impl Read + Write>) -> Result<(), Error> {
    loop {
        let message = websocket.read()?;
        if message.is_binary() || message.is_text() {
            let mut subscribers = SUBSCRIBERS.lock().unwrap();
            // Fails for a subscriber that has left.
            subscribers.retain(|queue| queue.send(message.clone()).is_ok());
        }
    }
}

/// Receives until the connection ends: what a subscriber sends is ignored, and the library answers
/// its pings and its closing frame.
pub fn subscribe<S>(websocket: WebSocket<S>, tcp: fn(&S) -> &TcpStream) -> Result<(), Error>
where
    S: Read + Write + Send + 'static,
{
    let tcp = tcp(websocket.get_ref()).try_clone()?;
    let websocket = Arc::new(Mutex::new(websocket));
    let (queue, messages) = channel();
    SUBSCRIBERS.lock().unwrap().push(queue.clone());
    let sender = Arc::clone(&websocket);
    let send = move |message| sender.lock().unwrap().send(message);
    spawn(move || messages.into_iter().try_for_each(send));
    // Waits without the lock, so that the other thread can send.
    while tcp.peek(&mut [0]).is_ok() {
        let mut websocket = websocket.lock().unwrap();
        tcp.set_nonblocking(true)?;
        let error = repeat_with(|| websocket.read()).find_map(Result::err);
        tcp.set_nonblocking(false)?;
        if !matches!(error, Some(Error::Io(error)) if error.kind() == WouldBlock) {
            break;
        }
    }
    drop(tcp.shutdown(Shutdown::Both));
    // Wakes the sending thread, which ends because it cannot send this.
    drop(queue.send(Message::Close(None)));
    Ok(())
}
