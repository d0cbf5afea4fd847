// Pushes messages to a client that asks for a number of them: docs/contract.md, clause 8.15.

#pragma once

#include "cpp/variables.hpp"

#include <ixwebsocket/IXWebSocket.h>

#include <cstdlib>
#include <string>

// Sends as many messages as the path says, on the connection's own thread. A call blocks while the
// socket has no room. Returns false, without effect, if the path is another one.
inline bool push(ix::WebSocket& socket, std::string const& path) {
    auto const text = std::getenv("PUSH");
    auto const messages = path.empty() ? std::nullopt : kit::parse_number(path.substr(1));
    if (text == nullptr || !messages) return false;
    std::string const message{text};
    for (std::uint64_t sent = 0; sent < *messages; ++sent) {
        if (!socket.sendText(message).success) break;
    }
    return true;
}
