//! Engine.IO 4 and Socket.IO 5, against their documents and what other implementations send.

mod assembler;
mod engine_io;
mod packet;
mod session;
