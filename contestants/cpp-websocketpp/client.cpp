// Receives messages with WebSocket++, as its examples: an endpoint, and handlers for opening, messages and closing.
// All connections share the endpoint and its one thread.

#include "cpp/client.hpp"
#include "tls.hpp"

#include <websocketpp/client.hpp>
#include <websocketpp/config/asio_client.hpp>
#include <websocketpp/config/asio_no_tls_client.hpp>

namespace close_code = websocketpp::close::status;
namespace config = websocketpp::config;
using Handle = websocketpp::connection_hdl;

template <typename Config>
void run(kit::Client& client) {
    using Endpoint = websocketpp::client<Config>;
    using Message = typename Endpoint::message_ptr;
    Endpoint endpoint;
    // The access log goes to stdout, which is for the result, and each end of a connection is logged as an error.
    endpoint.clear_access_channels(websocketpp::log::alevel::all);
    endpoint.clear_error_channels(websocketpp::log::elevel::all);
    endpoint.init_asio();
    if constexpr (std::is_same_v<Config, config::asio_tls_client>) {
        endpoint.set_tls_init_handler([&](Handle) { return make_client_tls(client.url.host); });
    }
    endpoint.set_fail_handler([&](Handle handle) {
        kit::fail(1, "cannot connect: " + endpoint.get_con_from_hdl(handle)->get_ec().message());
    });

    std::vector<kit::Connection*> opened(client.connections);
    for (auto& counted : opened) {
        websocketpp::lib::error_code error;
        auto const connection = endpoint.get_connection(client.url.text, error);
        if (error) throw std::runtime_error{"cannot connect: " + error.message()};
        connection->set_open_handler([&](Handle) { counted = &client.opened(); });
        connection->set_message_handler([&counted, connection = connection.get()](Handle, Message message) {
            websocketpp::lib::error_code error;
            switch (counted->received()) {
                case kit::Action::proceed: break;
                case kit::Action::reply: connection->send(message->get_payload(), message->get_opcode()); break;
                case kit::Action::close: connection->close(close_code::normal, "", error); break;
            }
        });
        connection->set_close_handler([connection = connection.get()](Handle) {
            auto const code = connection->get_local_close_code();
            bool const has_refused = code == close_code::protocol_error || code == close_code::invalid_payload;
            if (has_refused) kit::fail(1, connection->get_local_close_reason());
        });
        endpoint.connect(connection);
    }
    endpoint.run();
}

int main() {
    return kit::run_client([](kit::Client& client) {
        client.url.is_tls ? run<config::asio_tls_client>(client) : run<config::asio_client>(client);
    });
}
