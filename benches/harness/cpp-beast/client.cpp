// The smallest program that receives with Boost.Beast: its synchronous client.

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/websocket.hpp>
#include <cstdlib>
#include <string>

namespace beast = boost::beast;
namespace net = boost::asio;
namespace websocket = beast::websocket;
using tcp = net::ip::tcp;

int main() {
    auto const messages = std::stoul(std::getenv("MESSAGES"));
    std::string const url = std::getenv("URL");  // ws://HOST:PORT/PATH
    auto const colon = url.find(':', 5);
    auto const slash = url.find('/', 5);
    auto const host = url.substr(5, colon - 5);
    auto const port = url.substr(colon + 1, slash - colon - 1);

    net::io_context io_context;
    tcp::resolver resolver{io_context};
    websocket::stream<tcp::socket> stream{io_context};
    net::connect(stream.next_layer(), resolver.resolve(host, port));
    stream.handshake(host + ':' + port, url.substr(slash));

    beast::flat_buffer buffer;
    for (auto count = 0UL; count < messages; ++count) {
        stream.read(buffer);
        buffer.clear();
    }
    beast::error_code ignored;
    stream.close(websocket::close_code::normal, ignored);
}
