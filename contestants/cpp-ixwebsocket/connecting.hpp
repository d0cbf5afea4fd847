// What the client has of each connection: its settings, and the ends that are failures.

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

// Ends the program where the library closed the connection because of what the server sent. It closes
// with 1000 where it is asked to, and with 1006 where the stream ended.
inline void fail_if_refused(ix::WebSocketCloseInfo const& close) {
    if (close.remote || close.code == 1000 || close.code == 1006) return;
    kit::fail(1, "refused a message: " + std::to_string(close.code) + " " + close.reason);
}

// Runs a connection on this thread until it is closed.
inline void run_to_the_end(ix::WebSocket& socket) {
    auto const connected = socket.connect(handshake_limit_s);
    if (!connected.success) fail_to_connect(connected.errorStr);
    socket.run();
}
