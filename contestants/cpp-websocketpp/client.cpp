// Receives the messages that a server pushes with WebSocket++: all connections share one endpoint.

#include "connecting.hpp"
#include "cpp/run.hpp"
#include "echo.hpp"

void receive(kit::Receiver& receiver) {
    struct Reception {
        kit::Connection* connection = nullptr;
    };
    Client client;
    prepare(client);
    auto const set_handlers = [&](Connection& connection, Reception& each) {
        connection.set_open_handler([&](Handle) { each.connection = &receiver.opened(); });
        connection.set_message_handler([&](Handle, Client::message_ptr message) {
            if (each.connection->received(message->get_payload(), is_text(message))) {
                close_normally(connection);
            }
        });
        connection.set_close_handler([&](Handle) {
            if (has_refused(connection)) kit::fail(1, connection.get_local_close_reason());
        });
    };
    run_all<Reception>(client, receiver.url(), receiver.connections(), set_handlers);
}

int main() { return kit::run(receive, exchange); }
