// Settings of the client's connections, and the closes that are failures.

#pragma once

#include "cpp/settings.hpp"

#include <ixwebsocket/IXWebSocket.h>

// The library's default.
constexpr int handshake_limit_s = 60;

inline void prepare(ix::WebSocket& socket, kit::Url const& url) {
    socket.setUrl(url.text);
    // The contract forbids compression, which the library offers by default, and reconnecting.
    socket.disablePerMessageDeflate();
    socket.disableAutomaticReconnection();
}

[[noreturn]] inline void fail_to_connect(std::string const& reason) {
    kit::fail(1, "cannot connect: " + reason);
}

// Ends the program if the library closed the connection because of a received message. The close
// code is 1000 after a requested close, and 1006 after the end of the stream.
inline void fail_if_refused(ix::WebSocketCloseInfo const& close) {
    if (close.remote || close.code == 1000 || close.code == 1006) return;
    kit::fail(1, "refused a message: " + std::to_string(close.code) + " " + close.reason);
}

// Runs a connection on the current thread until it is closed.
inline void run_to_the_end(ix::WebSocket& socket) {
    auto const connected = socket.connect(handshake_limit_s);
    if (!connected.success) fail_to_connect(connected.errorStr);
    socket.run();
}
