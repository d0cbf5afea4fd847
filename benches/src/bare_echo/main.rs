//! The minimal program that exchanges echoes, with which the engine is compared.
//!
//! It opens connections to `/echo`, keeps one message in flight on each, and runs until it is
//! killed. It prints nothing: the caller measures it from outside. Echoes are counted in bytes,
//! and their content is not compared. With `--rate` it sends at a constant rate instead, and prints
//! quantiles of its delays as JSON.
//!
//! | option | form |
//! |---|---|
//! | none | `epoll`, `recv` of all echoes that have arrived, `send` of as many prepared frames |
//! | `--receive PATH` | `epoll`, and `recv` of what a server sends without being asked |
//! | `--rate PER_S SECONDS` | `epoll` and `recv` of echoes until a message is due, and `send` |
//! | `--uring` | `io_uring`, multishot receives, and sends without completions |
//! | `--tls CA.pem` | `epoll`, and TLS 1.3 of rustls, which trusts the certificates of the file |
//! | `--deflate` | `epoll`, and permessage-deflate of zlib-rs with context takeover |
#![expect(clippy::print_stdout, reason = "stdout is its result")]

use std::convert::Infallible;
use std::error::Error;
use std::net::TcpStream;
use std::path::{Path, PathBuf};

use autostrada_benches::Instants;
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
     [--receive PATH | --rate PER_S SECONDS | --uring | --tls CA.pem | --deflate] [--message TEXT]";
const MESSAGE: &str = "TTTTTTTTTTTTTTTTTTTT";

fn main() -> Result<(), Box<dyn Error>> {
    let command = Command::parse(std::env::args().skip(1)).ok_or(USAGE)?;
    if !(1..=MESSAGE_BYTES_MAX).contains(&command.message.len()) {
        return Err(format!("a message has 1 to {MESSAGE_BYTES_MAX} bytes").into());
    }
    command.run()
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
    Rate { per_s: String, seconds: String },
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
                "--rate" => Form::Rate {
                    per_s: arguments.next()?,
                    seconds: arguments.next()?,
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

    fn run(&self) -> Result<(), Box<dyn Error>> {
        let message = self.message.as_bytes();
        match &self.form {
            Form::Plain => match plain::run_closed_loop(self.open(open::ECHO)?, message)? {},
            Form::Receive { path } => match plain::run_receive(&self.open(path)?)? {},
            Form::Rate { per_s, seconds } => {
                let streams = self.open(open::ECHO)?;
                let mut instants = Instants::begin(per_s, seconds)?;
                plain::run_open_loop(&streams, message, &mut instants)?;
                println!("{{{}}}", instants.quantiles());
                Ok(())
            }
            Form::Uring => match uring::run(&self.open(open::ECHO)?, message)? {},
            Form::Tls { ca_file } => match self.run_tls(ca_file)? {},
            Form::Deflate => {
                let streams = (0..self.connections)
                    .map(|_| deflate::open(&self.address))
                    .collect::<Result<_, _>>()?;
                match deflate::run(streams, message)? {}
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
