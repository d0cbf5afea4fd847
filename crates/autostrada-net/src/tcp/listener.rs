//! A listening TCP socket.

use std::io;
use std::net::SocketAddr;

use mio::event::Source;
use mio::{Interest, Registry, Token};
use socket2::{Domain, Protocol, SockRef, Socket, Type};

use super::options::SocketOptions;
use super::stream::Stream;

/// Connections that wait to be accepted; the kernel lowers it to `net.core.somaxconn`.
const BACKLOG: i32 = 65_535;

/// A listening socket.
#[derive(Debug)]
pub struct Listener {
    inner: mio::net::TcpListener,
    no_delay: bool,
}

impl Listener {
    /// Listens at `address`, where port 0 takes a free one.
    ///
    /// # Errors
    ///
    /// When the address is taken or not this machine's, or the kernel has no such
    /// congestion control.
    pub fn bind(address: SocketAddr, options: &SocketOptions) -> io::Result<Self> {
        let socket = Socket::new(
            Domain::for_address(address),
            Type::STREAM.nonblocking().cloexec(),
            Some(Protocol::TCP),
        )?;
        socket.set_reuse_address(true)?;
        options.apply(&SockRef::from(&socket))?;
        socket.bind(&address.into())?;
        socket.listen(BACKLOG)?;
        Ok(Self {
            inner: mio::net::TcpListener::from_std(socket.into()),
            no_delay: options.no_delay,
        })
    }

    /// Another descriptor of the same socket, for another thread's poller.
    ///
    /// # Errors
    ///
    /// When the process has no descriptor left.
    pub fn try_clone(&self) -> io::Result<Self> {
        let socket = SockRef::from(&self.inner).try_clone()?;
        Ok(Self {
            inner: mio::net::TcpListener::from_std(socket.into()),
            no_delay: self.no_delay,
        })
    }

    /// The address it listens at, with the port that was taken.
    ///
    /// # Errors
    ///
    /// When the operating system does not tell.
    pub fn local_address(&self) -> io::Result<SocketAddr> {
        self.inner.local_addr()
    }

    /// Accepts one waiting connection, or returns `None` when there is none.
    ///
    /// # Errors
    ///
    /// When the process has no descriptor left.
    pub fn accept(&self) -> io::Result<Option<Stream>> {
        loop {
            match self.inner.accept() {
                Ok((stream, _)) => return Stream::new(stream, self.no_delay).map(Some),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(None),
                // The peer went away while it waited, or a signal came: take the next.
                Err(error)
                    if matches!(
                        error.kind(),
                        io::ErrorKind::ConnectionAborted | io::ErrorKind::Interrupted
                    ) => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Has `registry` report waiting connections as `token`.
    ///
    /// # Errors
    ///
    /// When the operating system refuses.
    pub fn register(&mut self, registry: &Registry, token: Token) -> io::Result<()> {
        self.inner.register(registry, token, Interest::READABLE)
    }

    /// Has `registry` report waiting connections no more.
    ///
    /// # Errors
    ///
    /// When the operating system refuses.
    pub fn deregister(&mut self, registry: &Registry) -> io::Result<()> {
        self.inner.deregister(registry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mio::{Events, Poll};
    use std::net::TcpStream;

    fn listen(options: &SocketOptions) -> Listener {
        Listener::bind("127.0.0.1:0".parse().unwrap(), options).unwrap()
    }

    /// The accepted end of a connection to a listener.
    fn accept(listener: &Listener) -> (Stream, TcpStream) {
        let peer = TcpStream::connect(listener.local_address().unwrap()).unwrap();
        (listener.accept().unwrap().expect("it is connected"), peer)
    }

    #[test]
    fn nobody_waits_to_be_accepted_at_first() {
        let listener = listen(&SocketOptions::default());
        assert_ne!(listener.local_address().unwrap().port(), 0);
        assert!(listener.accept().unwrap().is_none());
    }

    #[test]
    fn an_address_is_had_once() {
        let first = listen(&SocketOptions::default());
        let address = first.local_address().unwrap();
        let error = Listener::bind(address, &SocketOptions::default()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AddrInUse);
    }

    #[test]
    fn accepted_connections_are_set_as_asked_for() {
        let listener = listen(&SocketOptions {
            congestion_control: Some("reno".to_owned()),
            no_delay: false,
            send_buffer_bytes: Some(5_000),
            receive_buffer_bytes: Some(6_000),
        });
        let (stream, _peer) = accept(&listener);
        assert_eq!(stream.congestion_control().unwrap(), "reno");
        let socket = SockRef::from(&stream);
        assert!(!socket.tcp_nodelay().unwrap());
        // The kernel doubles them, for its own needs.
        assert_eq!(socket.send_buffer_size().unwrap(), 10_000);
        assert_eq!(socket.recv_buffer_size().unwrap(), 12_000);
        let (stream, _peer) = accept(&listen(&SocketOptions::default()));
        assert!(SockRef::from(&stream).tcp_nodelay().unwrap());
    }

    #[test]
    fn an_unknown_congestion_control_names_what_there_is() {
        let listening = SocketOptions {
            congestion_control: Some("none".to_owned()),
            ..SocketOptions::default()
        };
        let address = "127.0.0.1:0".parse().unwrap();
        let error = Listener::bind(address, &listening).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("\"none\"") && text.contains("reno"), "{text}");
    }

    #[test]
    fn one_poller_after_another_waits_for_the_same_connections() {
        let mut first = listen(&SocketOptions::default());
        let mut second = first.try_clone().unwrap();
        let mut polls = [Poll::new().unwrap(), Poll::new().unwrap()];
        first.register(polls[0].registry(), Token(0)).unwrap();
        first.deregister(polls[0].registry()).unwrap();
        let _peer = TcpStream::connect(first.local_address().unwrap()).unwrap();
        second.register(polls[1].registry(), Token(0)).unwrap();
        let mut events = Events::with_capacity(4);
        polls[1].poll(&mut events, None).unwrap();
        assert_eq!(events.iter().count(), 1);
        assert!(second.accept().unwrap().is_some());
        polls[0]
            .poll(&mut events, Some(std::time::Duration::ZERO))
            .unwrap();
        assert_eq!(events.iter().count(), 0);
    }
}
