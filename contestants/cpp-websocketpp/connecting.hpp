// Opens a client's connections with WebSocket++ and runs their endpoint until all are closed.

#pragma once

#include "cpp/settings.hpp"

#include <deque>
#include <websocketpp/client.hpp>
#include <websocketpp/config/asio_no_tls_client.hpp>

using Client = websocketpp::client<websocketpp::config::asio_client>;
using Connection = Client::connection_type;
using Handle = websocketpp::connection_hdl;
namespace close_code = websocketpp::close::status;

inline bool is_text(Client::message_ptr const& message) {
    return message->get_opcode() == websocketpp::frame::opcode::text;
}

inline void prepare(Client& client) {
    // The library logs to stdout, which is reserved for lines, and logs each close as an error.
    client.clear_access_channels(websocketpp::log::alevel::all);
    client.clear_error_channels(websocketpp::log::elevel::all);
    client.init_asio();
    client.set_fail_handler([&client](Handle handle) {
        kit::fail(1, "cannot connect: " + client.get_con_from_hdl(handle)->get_ec().message());
    });
}

// Opens all connections. set_handlers sets the handlers of a connection and its Each.
template <typename Each, typename SetHandlers>
void run_all(Client& client, kit::Url const& url, std::uint64_t connections,
             SetHandlers const& set_handlers) {
    std::deque<Each> all(connections);
    for (auto& each : all) {
        websocketpp::lib::error_code error;
        auto const connection = client.get_connection(url.text, error);
        if (error) kit::fail(1, "cannot connect: " + error.message());
        set_handlers(*connection, each);
        client.connect(connection);
    }
    client.run();
}

// Returns whether the library closed a connection because of a received message.
inline bool has_refused(Connection& connection) {
    auto const code = connection.get_local_close_code();
    return code == close_code::protocol_error || code == close_code::invalid_payload;
}

// Closes with code 1000. The server's answer does not matter.
inline void close_normally(Connection& connection) {
    websocketpp::lib::error_code error;
    connection.close(close_code::normal, "", error);
}
