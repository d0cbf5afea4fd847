// What the client has of each connection: its settings, and the end that does not open it.

#pragma once

#include "cpp/settings.hpp"

#include <ixwebsocket/IXWebSocket.h>

// The default of the library.
constexpr int handshake_limit_s = 60;

inline void prepare(ix::WebSocket& socket, kit::Url const& url) {
    socket.setUrl(url.text);
    // The contract: no compression, which the library offers, and no other connection in its place.
    socket.disablePerMessageDeflate();
    socket.disableAutomaticReconnection();
}

[[noreturn]] inline void fail_to_connect(std::string const& reason) {
    kit::fail(1, "cannot connect: " + reason);
}

// Runs a connection on this thread until it is closed.
inline void run_to_the_end(ix::WebSocket& socket) {
    auto const connected = socket.connect(handshake_limit_s);
    if (!connected.success) fail_to_connect(connected.errorStr);
    socket.run();
}
