// Receives the messages that a server pushes with Boost.Beast, as its synchronous client example:
// connect, handshake, read for each message, close.

#include "cpp/run.hpp"
#include "echo.hpp"

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/websocket.hpp>

namespace beast = boost::beast;
namespace net = boost::asio;
namespace websocket = beast::websocket;
using tcp = net::ip::tcp;

bool has_ended(beast::error_code error) {
    return error == websocket::error::closed || error == net::error::eof ||
           error == net::error::connection_reset;
}

void receive_one(kit::Receiver& receiver) {
    auto const& url = receiver.url();
    net::io_context io_context;
    tcp::resolver resolver{io_context};
    websocket::stream<tcp::socket> stream{io_context};
    net::connect(stream.next_layer(), resolver.resolve(url.host, url.port));
    stream.handshake(url.authority, url.target);

    auto& connection = receiver.opened();
    beast::flat_buffer buffer;
    beast::error_code error;
    do {
        buffer.clear();
        stream.read(buffer, error);
        if (error) {
            if (has_ended(error)) return;  // The server closed early.
            throw beast::system_error{error};
        }
    } while (!connection.received(view(buffer), stream.got_text()));

    // The server checks how the connection closes.
    stream.close(websocket::close_code::normal, error);
}

void receive(kit::Receiver& receiver) { kit::call_on_threads(receive_one, receiver); }

int main() { return kit::run(receive, exchange); }
