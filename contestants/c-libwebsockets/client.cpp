// Receives the messages that a server pushes with libwebsockets, in one event loop.

#include "connecting.hpp"
#include "cpp/run.hpp"
#include "echo.hpp"
#include "message.hpp"

struct Reception {
    kit::Connection* connection = nullptr;
    Assembly assembly{};
};

kit::Receiver* receiver = nullptr;

int receive_event(lws* wsi, lws_callback_reasons reason, void* user, void* in, size_t length) {
    auto const reception = static_cast<Reception*>(user);
    switch (reason) {
        case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
            fail_to_connect(in);
        case LWS_CALLBACK_CLIENT_ESTABLISHED:
            reception->connection = &receiver->opened();
            return 0;
        case LWS_CALLBACK_CLIENT_RECEIVE: {
            auto& assembly = reception->assembly;
            if (!assembly.take(wsi, in, length)) return 0;
            bool const is_text = !lws_frame_is_binary(wsi);
            bool const is_all = reception->connection->received(assembly.message(), is_text);
            return is_all ? close_normally(wsi) : 0;
        }
        case LWS_CALLBACK_CLIENT_CLOSED:
            ++client_of<Reception>(wsi).closed;
            return 0;
        default:
            return lws_callback_http_dummy(wsi, reason, user, in, length);
    }
}

void receive(kit::Receiver& given) {
    receiver = &given;
    Client<Reception> client{given.url(), given.connections(), receive_event};
    client.serve();
}

int main() {
    lws_set_log_level(LLL_ERR | LLL_WARN, nullptr);
    return kit::run(receive, exchange);
}
