// Runs a server of IXWebSocket, which has a thread for each connection.

#pragma once

#include <ixwebsocket/IXWebSocketServer.h>
#include <stdexcept>

// The contract sets no limit, and the library's default is too low.
constexpr std::size_t connections_max = 100'000;

[[noreturn]] inline void run(ix::WebSocketServer& server) {
    // The contract requires compression to be off by default.
    server.disablePerMessageDeflate();
    auto const [is_listening, reason] = server.listen();
    if (!is_listening) throw std::runtime_error{reason};
    server.start();
    while (true) server.wait();  // It also returns after a spurious wake-up.
}
