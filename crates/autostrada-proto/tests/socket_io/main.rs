//! Engine.IO 3 and 4, Socket.IO 5: examples of the protocol documents and of other implementations.

mod assembler;
mod engine_io;
mod packet;
