// Echoes and publishes messages with LIBRARY, as its documentation shows.

#include "cpp/server.hpp"

#include <stdexcept>

void serve(kit::Server const& settings) {
    // LIBRARY: listen on settings.host and settings.port, without compression, for messages of up to 16 MiB.
    // LIBRARY: refuse a connection if kit::role_of(path) returns nothing. Otherwise do with each message what its role
    // says: send it back unchanged, send it to all subscribers, or ignore it.
    throw std::runtime_error{"server.cpp lacks the calls of the library: " + settings.host};
}

int main() { kit::run_server(serve); }
