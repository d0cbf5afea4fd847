// Serves with IXWebSocket, which has a thread per connection, and one callback for all events.

#include "cpp/server.hpp"
#include "listening.hpp"
#include "subscriber.hpp"

struct Connection : ix::ConnectionState {
    std::optional<kit::Role> role{};
    std::shared_ptr<Subscriber> subscriber{};
};

// Returns an owning pointer to a connection: the callback receives only a reference.
std::shared_ptr<ix::WebSocket> keep(ix::WebSocketServer& server, ix::WebSocket const& socket) {
    for (auto const& client : server.getClients()) {
        if (client.get() == &socket) return client;
    }
    throw std::logic_error{"a connection that is open is not among the clients"};
}

void serve(kit::Server const& settings) {
    ix::WebSocketServer server{settings.port, settings.host, ix::SocketServer::kDefaultTcpBacklog, connections_max};
    Subscribers subscribers;
    auto const open = [&](Connection& connection, ix::WebSocket& socket, std::string const& path) {
        connection.role = kit::role_of(path);
        if (connection.role == kit::Role::subscriber) connection.subscriber = subscribers.join(keep(server, socket));
        // The library has accepted the connection, whatever its path is.
        if (!connection.role) socket.close(1008, "no such path");
    };
    auto const receive = [&](Connection& connection, ix::WebSocket& socket, ix::WebSocketMessage const& message) {
        if (connection.role == kit::Role::echo) socket.send(message.str, message.binary);
        if (connection.role == kit::Role::publisher) subscribers.publish({message.str, message.binary});
    };
    server.setConnectionStateFactory([] { return std::make_shared<Connection>(); });
    server.setOnClientMessageCallback([&](std::shared_ptr<ix::ConnectionState> const& state,
                                          ix::WebSocket& socket,
                                          ix::WebSocketMessagePtr const& message) {
        auto& connection = static_cast<Connection&>(*state);
        if (message->type == ix::WebSocketMessageType::Open) open(connection, socket, message->openInfo.uri);
        if (message->type == ix::WebSocketMessageType::Message) receive(connection, socket, *message);
        if (message->type == ix::WebSocketMessageType::Close && connection.subscriber) {
            subscribers.leave(connection.subscriber);
        }
    });
    run(server);
}

int main() { kit::run_server(serve); }
