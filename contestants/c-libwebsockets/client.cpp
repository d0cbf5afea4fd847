// Receives messages with libwebsockets, as its examples: one callback for all events of one loop.

#include "connecting.hpp"
#include "session.hpp"

struct Connection : Session {
    kit::Connection* counted = nullptr;
};

kit::Client* client = nullptr;
std::uint64_t closed = 0;

// Returns what the callback has to return.
int receive(Connection& connection) {
    auto const action = connection.counted->received();
    if (action == kit::Action::reply) connection.echo();
    if (action != kit::Action::close) return 0;
    lws_close_reason(connection.wsi, LWS_CLOSE_STATUS_NORMAL, nullptr, 0);
    return -1;
}

int client_event(lws* wsi, lws_callback_reasons reason, void* user, void* in, size_t length) {
    auto const connection = static_cast<Connection*>(user);
    switch (reason) {
        case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
            kit::fail(1, std::string{"cannot connect: "} + (in ? static_cast<char const*>(in) : "unknown reason"));
        case LWS_CALLBACK_CLIENT_ESTABLISHED:
            connection->wsi = wsi;
            connection->counted = &client->opened();
            return 0;
        case LWS_CALLBACK_CLIENT_RECEIVE: return connection->take(in, length) ? receive(*connection) : 0;
        case LWS_CALLBACK_CLIENT_WRITEABLE: return connection->write_next();
        case LWS_CALLBACK_CLIENT_CLOSED: ++closed; return 0;
        default: return lws_callback_http_dummy(wsi, reason, user, in, length);
    }
}

void work(kit::Client& given) {
    client = &given;
    lws_protocols const protocols[] = {{"client", client_event, 0, 0, 0, nullptr, 0}, {}};
    auto const context = make_client_context(protocols, client->url.is_tls);
    std::deque<Connection> connections(client->connections);
    for (auto& connection : connections) connect(context, protocols[0], client->url, &connection);
    while (closed < connections.size() && lws_service(context, 0) >= 0) continue;
}

int main() {
    lws_set_log_level(LLL_ERR | LLL_WARN, nullptr);
    return kit::run_client(work);
}
