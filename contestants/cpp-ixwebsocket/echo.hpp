// Exchanges echoes with IXWebSocket: its callback sends the next message for each answer.

#pragma once

#include "connecting.hpp"
#include "cpp/exchanger.hpp"

inline void exchange_one(kit::Exchanger& exchanger) {
    ix::WebSocket socket;
    prepare(socket, exchanger.url());
    kit::Exchange* exchange = nullptr;
    bool is_over = false;
    socket.setOnMessageCallback([&](ix::WebSocketMessagePtr const& message) {
        switch (message->type) {
            case ix::WebSocketMessageType::Open:
                exchange = &exchanger.opened();
                socket.sendText(exchanger.payload());
                break;
            case ix::WebSocketMessageType::Message:
                is_over = !exchange->answered(message->str, !message->binary);
                is_over ? socket.close() : void(socket.sendText(exchanger.payload()));
                break;
            case ix::WebSocketMessageType::Close:
                if (!is_over) kit::fail(1, "the server has ended the connection");
                break;
            default:
                break;
        }
    });
    run_to_the_end(socket);
}
