//! Engine.IO 4 and Socket.IO 5: examples of the protocol documents and of other implementations.

mod assembler;
mod engine_io;
mod engine_io_3;
mod packet;
