// Serves with WebSocket++, as its examples: an endpoint with handlers, and a set of subscribers to send to.

#include "listening.hpp"
#include "tls.hpp"

#include <set>

using Handle = websocketpp::connection_hdl;

template <typename Config>
void serve(kit::Server const& settings) {
    using Endpoint = websocketpp::server<Config>;
    using Message = typename Endpoint::message_ptr;
    Endpoint endpoint;
    // The access log goes to stdout, on which a server prints nothing.
    endpoint.clear_access_channels(websocketpp::log::alevel::all);
    endpoint.init_asio();

    std::set<Handle, std::owner_less<Handle>> subscribers;
    // Sends what the library buffers if the peer does not read; an error means that the connection is ending.
    auto const send = [&](Handle to, Message const& message) {
        websocketpp::lib::error_code error;
        endpoint.send(to, message->get_payload(), message->get_opcode(), error);
    };
    auto const publish = [&](Handle, Message message) {
        for (auto const& subscriber : subscribers) send(subscriber, message);
    };
    auto const subscribe = [&](Handle handle) { subscribers.insert(handle); };
    endpoint.set_validate_handler([&](Handle handle) {
        auto const connection = endpoint.get_con_from_hdl(handle);
        auto const role = kit::role_of(connection->get_resource());
        if (role == kit::Role::echo) connection->set_message_handler(send);
        if (role == kit::Role::publisher) connection->set_message_handler(publish);
        if (role == kit::Role::subscriber) connection->set_open_handler(subscribe);
        return role.has_value();
    });
    endpoint.set_close_handler([&](Handle handle) { subscribers.erase(handle); });

    if constexpr (std::is_base_of_v<websocketpp::config::asio_tls, Config>) {
        endpoint.set_tls_init_handler(
            [&](Handle) { return make_server_tls(settings.certificate_file, settings.key_file); });
    }
    listen(endpoint, settings);
    endpoint.run();
}

int main() {
    namespace config = websocketpp::config;
    kit::run_server([](kit::Server const& settings) {
        if (settings.is_tls) {
            settings.deflate ? serve<Deflating<config::asio_tls>>(settings) : serve<config::asio_tls>(settings);
        } else {
            settings.deflate ? serve<Deflating<config::asio>>(settings) : serve<config::asio>(settings);
        }
    });
}
