// Echoes messages and sends a feed with WebSocket++.

#include "feed.hpp"
#include "listening.hpp"

using Handle = websocketpp::connection_hdl;

template <typename Config, bool IS_TLS>
void serve(kit::ServerSettings const& settings) {
    websocketpp::server<Config> endpoint;
    // The library logs to stdout, which is reserved for lines.
    endpoint.clear_access_channels(websocketpp::log::alevel::all);
    endpoint.init_asio();
    Feeding<Config> feeding{endpoint, settings.feed};
    auto& subscribers = feeding.subscribers;

    auto const is_subscriber = [](auto const& connection) {
        return connection->get_resource() == "/feed";
    };
    endpoint.set_open_handler([&](Handle handle) {
        auto const connection = endpoint.get_con_from_hdl(handle);
        if (is_subscriber(connection)) subscribers.join(connection);
    });
    endpoint.set_message_handler([&](Handle handle, auto message) {
        auto const connection = endpoint.get_con_from_hdl(handle);
        if (is_subscriber(connection)) return;
        connection->send(message->get_payload(), message->get_opcode());
    });
    endpoint.set_close_handler(
        [&](Handle handle) { subscribers.leave(endpoint.get_con_from_hdl(handle)); });
    if constexpr (IS_TLS) {
        endpoint.set_tls_init_handler([&](Handle) { return make_tls_context(*settings.tls); });
    }

    listen(endpoint, settings);
    endpoint.run();
}

int main() {
    namespace config = websocketpp::config;
    auto const settings = kit::ServerSettings::from_environment();
    kit::run_workers(settings.workers, [&] {
        if (settings.tls && settings.deflate) {
            serve<Deflating<config::asio_tls>, true>(settings);
        } else if (settings.tls) {
            serve<config::asio_tls, true>(settings);
        } else if (settings.deflate) {
            serve<Deflating<config::asio>, false>(settings);
        } else {
            serve<config::asio, false>(settings);
        }
    });
}
