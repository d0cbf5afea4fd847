// Receives messages with IXWebSocket, as its documentation shows: a callback for all events, and a thread for each
// connection.

#include "cpp/client.hpp"

#include <ixwebsocket/IXWebSocket.h>

// The library's default.
constexpr int handshake_limit_s = 60;

// Ends the program if the library closed the connection because of a received message. The close
// code is 1000 after a requested close, and 1006 after the end of the stream.
void fail_if_refused(ix::WebSocketCloseInfo const& close) {
    if (close.remote || close.code == 1000 || close.code == 1006) return;
    kit::fail(1, "refused a message: " + std::to_string(close.code) + " " + close.reason);
}

void receive(kit::Client& client) {
    ix::WebSocket socket;
    socket.setUrl(client.url.text);
    // The contract forbids to reconnect and, unless it asks for it, compression. Both are on by default.
    socket.disableAutomaticReconnection();
    if (!client.deflate) socket.disablePerMessageDeflate();
    kit::Connection* counted = nullptr;
    socket.setOnMessageCallback([&](ix::WebSocketMessagePtr const& message) {
        if (message->type == ix::WebSocketMessageType::Open) {
            counted = &client.opened();
        } else if (message->type == ix::WebSocketMessageType::Message) {
            switch (counted->received()) {
                case kit::Action::proceed: break;
                case kit::Action::reply: socket.send(message->str, message->binary); break;
                case kit::Action::close: socket.close(); break;
            }
        } else if (message->type == ix::WebSocketMessageType::Close) {
            fail_if_refused(message->closeInfo);
        }
    });
    auto const connected = socket.connect(handshake_limit_s);
    if (!connected.success) throw std::runtime_error{"cannot connect: " + connected.errorStr};
    socket.run();
}

int main() {
    return kit::run_client([](kit::Client& client) { kit::run_on_threads(client, receive); });
}
