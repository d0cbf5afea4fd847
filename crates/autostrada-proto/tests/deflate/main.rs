//! permessage-deflate (RFC 7692): negotiation, examples, two endpoints, invalid input.

mod bad_input;
mod endpoints;
mod examples;
mod negotiation;
