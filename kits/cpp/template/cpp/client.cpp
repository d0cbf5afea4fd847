// Receives messages with LIBRARY, as its documentation shows.

#include "cpp/client.hpp"

#include <stdexcept>

void receive(kit::Client& client) {
    // LIBRARY: open a connection to this address, without compression, for messages of up to 16 MiB.
    throw std::runtime_error{"client.cpp lacks the calls of the library: " + client.url.text};
    [[maybe_unused]] auto& connection = client.opened();
    // LIBRARY: call connection.received() for each message until the server closes, and do what it returns: receive
    // the next message, send this one back with the same type, or start the closing handshake with code 1000.
}

// Each connection has its own thread here; with an event loop, all connections share one.
int main() {
    return kit::run_client([](kit::Client& client) { kit::run_on_threads(client, receive); });
}
