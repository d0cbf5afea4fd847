// Pushes messages with IXWebSocket, in the callback of the opened connection, as the library's own `ws push_server`:
// docs/published.md, section 4.

#include "../listening.hpp"
#include "cpp/server.hpp"

// Sends as many messages as the path says. A call blocks while the socket has no room. Returns false if the path is
// another one.
bool push(ix::WebSocket& socket, std::string const& text, std::string const& path) {
    auto const messages = path.empty() ? std::nullopt : kit::parse_number(path.substr(1));
    if (!messages) return false;
    for (std::uint64_t sent = 0; sent < *messages; ++sent) {
        if (!socket.sendText(text).success) break;
    }
    return true;
}

void serve(kit::Server const& settings) {
    ix::WebSocketServer server{settings.port, settings.host, ix::SocketServer::kDefaultTcpBacklog, connections_max};
    auto const text = std::getenv("PUSH");
    server.setOnClientMessageCallback([&](std::shared_ptr<ix::ConnectionState> const&,
                                          ix::WebSocket& socket,
                                          ix::WebSocketMessagePtr const& message) {
        // Who counts what is pushed sends nothing, so that all messages are those of /echo.
        if (message->type == ix::WebSocketMessageType::Message) socket.send(message->str, message->binary);
        if (message->type != ix::WebSocketMessageType::Open) return;
        auto const& path = message->openInfo.uri;
        bool const is_known = path == "/echo" || (text != nullptr && push(socket, text, path));
        // The library has accepted the connection, whatever its path is.
        if (!is_known) socket.close(1008, "no such path");
    });
    run(server);
}

int main() { kit::run_server(serve); }
