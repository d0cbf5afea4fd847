//! The minimal program that exchanges echoes, with which the engine is compared.
//!
//! It opens connections to `/echo`, keeps one message in flight on each, and runs until it is
//! killed. It prints nothing: the caller measures it from outside. Echoes are counted in bytes,
//! and their content is not compared.
//!
//! | option | form |
//! |---|---|
//! | none | `epoll`, `recv` of all echoes that have arrived, `send` of as many prepared frames |
//! | `--receive PATH` | `epoll`, and `recv` of what a server sends without being asked |
//! | `--uring` | `io_uring`, multishot receives, and sends without completions |
//! | `--tls CA.pem` | `epoll`, and TLS 1.3 of rustls, which trusts the certificates of the file |
//! | `--deflate` | `epoll`, and permessage-deflate of zlib-rs with context takeover |

use std::convert::Infallible;
use std::error::Error;
use std::net::TcpStream;
use std::path::{Path, PathBuf};

use frame::MESSAGE_BYTES_MAX;

mod deflate;
mod epoll;
mod frame;
mod open;
mod plain;
mod socket;
mod tls;
mod uring;

const USAGE: &str = "usage: bare-echo HOST:PORT CONNECTIONS \
     [--receive PATH | --uring | --tls CA.pem | --deflate] [--message TEXT]";
const MESSAGE: &str = "TTTTTTTTTTTTTTTTTTTT";

fn main() -> Result<(), Box<dyn Error>> {
    let command = Command::parse(std::env::args().skip(1)).ok_or(USAGE)?;
    if !(1..=MESSAGE_BYTES_MAX).contains(&command.message.len()) {
        return Err(format!("a message has 1 to {MESSAGE_BYTES_MAX} bytes").into());
    }
    match command.run()? {}
}

struct Command {
    address: String,
    connections: usize,
    form: Form,
    message: String,
}

enum Form {
    Plain,
    Receive { path: String },
    Uring,
    Tls { ca_file: PathBuf },
    Deflate,
}

impl Command {
    /// Parses the arguments; returns `None` if they are not as in the usage.
    fn parse(mut arguments: impl Iterator<Item = String>) -> Option<Self> {
        let mut command = Self {
            address: arguments.next()?,
            connections: arguments.next()?.parse().ok().filter(|&count| count > 0)?,
            form: Form::Plain,
            message: MESSAGE.to_owned(),
        };
        while let Some(option) = arguments.next() {
            let form = match option.as_str() {
                "--message" => {
                    command.message = arguments.next()?;
                    continue;
                }
                "--receive" => Form::Receive {
                    path: arguments.next()?,
                },
                "--uring" => Form::Uring,
                "--tls" => Form::Tls {
                    ca_file: arguments.next()?.into(),
                },
                "--deflate" => Form::Deflate,
                _ => return None,
            };
            if !matches!(command.form, Form::Plain) {
                return None;
            }
            command.form = form;
        }
        Some(command)
    }

    fn run(&self) -> Result<Infallible, Box<dyn Error>> {
        let message = self.message.as_bytes();
        match &self.form {
            Form::Plain => Ok(plain::run_closed_loop(self.open(open::ECHO)?, message)?),
            Form::Receive { path } => Ok(plain::run_receive(&self.open(path)?)?),
            Form::Uring => Ok(uring::run(&self.open(open::ECHO)?, message)?),
            Form::Tls { ca_file } => self.run_tls(ca_file),
            Form::Deflate => {
                let streams = (0..self.connections)
                    .map(|_| deflate::open(&self.address))
                    .collect::<Result<_, _>>()?;
                Ok(deflate::run(streams, message)?)
            }
        }
    }

    fn run_tls(&self, ca_file: &Path) -> Result<Infallible, Box<dyn Error>> {
        let config = tls::configure(ca_file)?;
        let connections = (0..self.connections)
            .map(|_| tls::Connection::open(&self.address, &config))
            .collect::<Result<_, _>>()?;
        Ok(tls::run(connections, self.message.as_bytes())?)
    }

    /// Opens the connections of a form with neither TLS nor compression.
    fn open(&self, path: &str) -> Result<Vec<TcpStream>, Box<dyn Error>> {
        let open = || {
            let mut stream = open::connect(&self.address)?;
            open::upgrade(&mut stream, &self.address, path, "")?;
            stream.set_nonblocking(true)?;
            Ok(stream)
        };
        (0..self.connections).map(|_| open()).collect()
    }
}
