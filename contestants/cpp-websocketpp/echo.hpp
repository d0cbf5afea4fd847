// Exchanges echoes with WebSocket++: a handler sends the next message for each answer.

#pragma once

#include "connecting.hpp"
#include "cpp/exchanger.hpp"

inline void exchange(kit::Exchanger& exchanger) {
    struct Exchange {
        kit::Exchange* exchange = nullptr;
        bool is_over = false;
    };
    Client client;
    prepare(client);
    auto const set_handlers = [&](Connection& connection, Exchange& each) {
        auto const send = [&] {
            connection.send(exchanger.payload(), websocketpp::frame::opcode::text);
        };
        connection.set_open_handler([&, send](Handle) {
            each.exchange = &exchanger.opened();
            send();
        });
        connection.set_message_handler([&, send](Handle, Client::message_ptr message) {
            each.is_over = !each.exchange->answered(message->get_payload(), is_text(message));
            each.is_over ? close_normally(connection) : send();
        });
        connection.set_close_handler([&](Handle) {
            if (!each.is_over) kit::fail(1, "the server has ended the connection");
        });
    };
    run_all<Exchange>(client, exchanger.url(), exchanger.connections(), set_handlers);
}
