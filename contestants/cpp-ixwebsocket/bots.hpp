// Bots with IXWebSocket: the library's threads take the answers, and this one sends.

#pragma once

#include "connecting.hpp"
#include "cpp/bots.hpp"

#include <deque>

class Talk {
public:
    void start(kit::Bots& bots) {
        prepare(socket, bots.url());
        socket.setOnMessageCallback([this, &bots](ix::WebSocketMessagePtr const& message) {
            switch (message->type) {
                case ix::WebSocketMessageType::Open:
                    bot = &bots.opened([this](auto const& event) { socket.sendText(event); },
                                       [this] { socket.close(); });
                    break;
                case ix::WebSocketMessageType::Message:
                    bot->answered(message->str, !message->binary);
                    break;
                case ix::WebSocketMessageType::Close:
                    if (!bot->is_over()) kit::fail(1, "the server has ended the connection");
                    break;
                case ix::WebSocketMessageType::Error:
                    fail_to_connect(message->errorInfo.reason);
                default:
                    break;
            }
        });
        socket.start();
    }

    // Waits until its thread has ended.
    void stop() { socket.stop(); }

private:
    ix::WebSocket socket{};
    kit::Bot* bot = nullptr;
};

inline void send_when_due(kit::Bots& bots) {
    std::deque<Talk> talks(bots.connections());
    for (auto& talk : talks) talk.start(bots);
    bots.play_to_the_end();
    for (auto& talk : talks) talk.stop();
}
