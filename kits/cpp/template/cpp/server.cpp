// Echoes messages with LIBRARY, as its documentation shows.

#include "cpp/serving.hpp"
#include "cpp/workers.hpp"

#include <stdexcept>

void serve(kit::ServerSettings const& settings) {
    // LIBRARY: listen on settings.host and settings.port, without compression, for messages of up to 16 MiB.
    // LIBRARY: send each message of a connection to /echo back unchanged.
    throw std::runtime_error{"server.cpp lacks the calls of the library: " + settings.host};
}

int main() {
    auto const settings = kit::ServerSettings::from_environment();
    kit::serve_or_fail([&] { serve(settings); });
}
