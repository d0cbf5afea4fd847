// Echoes messages, pushes and sends a feed with IXWebSocket, which has a thread per connection.

#include "cpp/workers.hpp"
#include "feed.hpp"
#include "push.hpp"

#include <ixwebsocket/IXWebSocketServer.h>

// The contract sets no limit, and the library's default is too low.
constexpr std::size_t connections_max = 100'000;

struct State : ix::ConnectionState {
    std::shared_ptr<Subscriber> subscriber{};
};

// Returns an owning pointer to a connection: the callback receives only a reference.
std::shared_ptr<ix::WebSocket> keep(ix::WebSocketServer& server, ix::WebSocket const& socket) {
    for (auto const& client : server.getClients()) {
        if (client.get() == &socket) return client;
    }
    throw std::logic_error{"a connection that is open is not among the clients"};
}

void serve(kit::ServerSettings const& settings) {
    ix::WebSocketServer server{settings.port, settings.host,
                               ix::SocketServer::kDefaultTcpBacklog, connections_max};
    Feeding feeding{settings.feed};
    // The contract requires compression to be off by default.
    server.disablePerMessageDeflate();
    server.setConnectionStateFactory([] { return std::make_shared<State>(); });
    server.setOnClientMessageCallback([&](std::shared_ptr<ix::ConnectionState> const& state,
                                          ix::WebSocket& socket,
                                          ix::WebSocketMessagePtr const& message) {
        auto& subscriber = static_cast<State&>(*state).subscriber;
        switch (message->type) {
            case ix::WebSocketMessageType::Open:
                if (push(socket, message->openInfo.uri) || message->openInfo.uri != "/feed") break;
                subscriber = std::make_shared<Subscriber>(keep(server, socket), feeding.is_text());
                feeding.join(subscriber);
                break;
            case ix::WebSocketMessageType::Message:
                if (!subscriber) socket.send(message->str, message->binary);
                break;
            case ix::WebSocketMessageType::Close:
                if (subscriber) feeding.leave(subscriber);
                break;
            default:
                break;
        }
    });
    auto const [is_listening, reason] = server.listen();
    if (!is_listening) throw std::runtime_error{reason};
    server.start();
    feeding.run();
}

int main() {
    auto const settings = kit::ServerSettings::from_environment();
    kit::serve_or_fail([&] { serve(settings); });
}
