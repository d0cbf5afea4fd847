//! permessage-deflate, against RFC 7692: negotiation, examples, two endpoints, bad input.

mod bad_input;
mod endpoints;
mod examples;
mod negotiation;
