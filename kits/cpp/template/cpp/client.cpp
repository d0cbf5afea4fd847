// Receives the messages that a server pushes with LIBRARY, as its documentation shows.

#include "cpp/run.hpp"

#include <stdexcept>

void receive_one(kit::Receiver& receiver) {
    // LIBRARY: open a connection to this address, without compression, for messages of up to 16 MiB.
    throw std::runtime_error{"client.cpp lacks the calls of the library: " + receiver.url().text};
    [[maybe_unused]] auto& connection = receiver.opened();
    // LIBRARY: call connection.received(payload, is_text) for each message until the server closes; when it
    // returns true, start the closing handshake with code 1000.
}

// Each connection has its own thread here; with an event loop, all connections may share one.
void receive(kit::Receiver& receiver) { kit::call_on_threads(receive_one, receiver); }

// The first tier requires only receiving; echoes are optional.
void exchange(kit::Exchanger&) { kit::fail(1, "this client has no echo"); }

int main() { return kit::run(receive, exchange); }
