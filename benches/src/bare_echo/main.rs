//! The minimal program that exchanges echoes, with which the engine is compared.
//!
//! It opens connections to `/echo`, keeps one message in flight on each, and runs until it is
//! killed. It prints nothing: the caller measures it from outside. Echoes are counted in bytes,
//! and their content is not compared. With `--rate` it sends at a constant rate instead, and prints
//! the p99.9 of its delays, in nanoseconds.
//!
//! | option | form |
//! |---|---|
//! | none | `epoll`, `recv` of all echoes that have arrived, `send` of as many prepared frames |
//! | `--rate PER_S SECONDS` | `epoll` and `recv` of echoes until a message is due, and `send` |
//! | `--uring` | `io_uring`, multishot receives, and sends without completions |
//! | `--tls CA.pem` | `epoll`, and TLS 1.3 of rustls, which trusts the certificates of the file |
//! | `--deflate` | `epoll`, and permessage-deflate of zlib-rs with context takeover |
#![expect(clippy::print_stdout, reason = "stdout is its result")]

use std::convert::Infallible;
use std::error::Error;
use std::net::TcpStream;
use std::path::{Path, PathBuf};

use autostrada_benches::{Instants, open};

mod deflate;
mod epoll;
mod frame;
mod plain;
mod tls;
mod uring;

const USAGE: &str = "usage: bare-echo HOST:PORT CONNECTIONS \
     [--rate PER_S SECONDS | --uring | --tls CA.pem | --deflate]";
/// A socket always takes its frame with one call.
const MESSAGE: &[u8] = b"TTTTTTTTTTTTTTTTTTTT";

fn main() -> Result<(), Box<dyn Error>> {
    Command::parse(std::env::args().skip(1)).ok_or(USAGE)?.run()
}

struct Command {
    address: String,
    connections: usize,
    form: Form,
}

enum Form {
    Plain,
    Rate { per_s: String, seconds: String },
    Uring,
    Tls { ca_file: PathBuf },
    Deflate,
}

impl Command {
    /// Parses the arguments; returns `None` if they are not as in the usage.
    fn parse(mut arguments: impl Iterator<Item = String>) -> Option<Self> {
        let address = arguments.next()?;
        let connections = arguments.next()?.parse().ok().filter(|&count| count > 0)?;
        let form = match arguments.next().as_deref() {
            None => Form::Plain,
            Some("--rate") => Form::Rate {
                per_s: arguments.next()?,
                seconds: arguments.next()?,
            },
            Some("--uring") => Form::Uring,
            Some("--tls") => Form::Tls {
                ca_file: arguments.next()?.into(),
            },
            Some("--deflate") => Form::Deflate,
            Some(_) => return None,
        };
        arguments.next().is_none().then_some(Self {
            address,
            connections,
            form,
        })
    }

    fn run(&self) -> Result<(), Box<dyn Error>> {
        match &self.form {
            Form::Plain => match plain::run_closed_loop(self.open()?, MESSAGE)? {},
            Form::Rate { per_s, seconds } => {
                let streams = self.open()?;
                let mut instants = Instants::begin(per_s, seconds)?;
                plain::run_open_loop(&streams, MESSAGE, &mut instants)?;
                println!("{}", instants.late_p999_ns());
                Ok(())
            }
            Form::Uring => match uring::run(&self.open()?, MESSAGE)? {},
            Form::Tls { ca_file } => match self.run_tls(ca_file)? {},
            Form::Deflate => {
                let streams = (0..self.connections)
                    .map(|_| deflate::open(&self.address))
                    .collect::<Result<_, _>>()?;
                match deflate::run(streams, MESSAGE)? {}
            }
        }
    }

    fn run_tls(&self, ca_file: &Path) -> Result<Infallible, Box<dyn Error>> {
        let config = tls::configure(ca_file)?;
        let connections = (0..self.connections)
            .map(|_| tls::Connection::open(&self.address, &config))
            .collect::<Result<_, _>>()?;
        Ok(tls::run(connections, MESSAGE)?)
    }

    /// Opens the connections of a form with neither TLS nor compression.
    fn open(&self) -> Result<Vec<TcpStream>, Box<dyn Error>> {
        let open = || {
            let mut stream = open::connect(&self.address)?;
            open::upgrade(&mut stream, &self.address, open::ECHO, "")?;
            stream.set_nonblocking(true)?;
            Ok(stream)
        };
        (0..self.connections).map(|_| open()).collect()
    }
}
