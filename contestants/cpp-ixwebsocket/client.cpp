// Receives the messages that a server pushes with IXWebSocket: each connection has its own thread.

#include "connecting.hpp"
#include "cpp/run.hpp"
#include "echo.hpp"

bool offers_deflate(kit::Environment const& environment) {
    return environment.choice<bool>("COMPRESSION", {{"", false}, {"deflate", true}});
}

void receive_one(kit::Receiver& receiver) {
    ix::WebSocket socket;
    prepare(socket, receiver.url());
    // The library's default, if the contract asks for compression.
    if (kit::read_or_fail(offers_deflate)) socket.enablePerMessageDeflate();
    kit::Connection* connection = nullptr;
    socket.setOnMessageCallback([&](ix::WebSocketMessagePtr const& message) {
        if (message->type == ix::WebSocketMessageType::Open) {
            connection = &receiver.opened();
        } else if (message->type == ix::WebSocketMessageType::Message) {
            if (connection->received(message->str, !message->binary)) socket.close();
        } else if (message->type == ix::WebSocketMessageType::Close) {
            fail_if_refused(message->closeInfo);
        }
    });
    run_to_the_end(socket);
}

void receive(kit::Receiver& receiver) { kit::call_on_threads(receive_one, receiver); }

void exchange(kit::Exchanger& exchanger) { kit::call_on_threads(exchange_one, exchanger); }

int main() { return kit::run(receive, exchange); }
