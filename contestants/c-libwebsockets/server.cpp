// Serves with libwebsockets, as its examples: one callback for all events of one loop.

#include "listening.hpp"
#include "session.hpp"

#include <set>

struct Connection : Session {
    kit::Role role{};
};

std::set<Connection*> subscribers;

Connection* open(lws* wsi) {
    auto const connection = new Connection;
    connection->wsi = wsi;
    connection->role = role_of(wsi).value();
    if (connection->role == kit::Role::subscriber) subscribers.insert(connection);
    return connection;
}

void receive(Connection& connection) {
    if (connection.role == kit::Role::echo) return connection.echo();
    if (connection.role == kit::Role::subscriber) return;
    auto const message = connection.message();
    for (auto const subscriber : subscribers) subscriber->send(message);
}

int server_event(lws* wsi, lws_callback_reasons reason, void* user, void* in, size_t length) {
    auto const slot = static_cast<Connection**>(user);
    switch (reason) {
        case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION: return role_of(wsi) ? 0 : -1;
        case LWS_CALLBACK_ESTABLISHED:
            *slot = open(wsi);
            return 0;
        case LWS_CALLBACK_RECEIVE:
            if ((*slot)->take(in, length)) receive(**slot);
            return 0;
        case LWS_CALLBACK_SERVER_WRITEABLE: return (*slot)->write_next();
        case LWS_CALLBACK_CLOSED:
            subscribers.erase(*slot);
            delete *slot;
            return 0;
        default: return lws_callback_http_dummy(wsi, reason, user, in, length);
    }
}

void serve(kit::Server const& settings) {
    lws_protocols const protocols[] = {{"server", server_event, sizeof(Connection*), 0, 0, nullptr, 0}, {}};
    auto const context = listen(settings, protocols);
    while (lws_service(context, 0) >= 0) continue;
}

int main() {
    lws_set_log_level(LLL_ERR | LLL_WARN, nullptr);
    kit::run_server(serve);
}
