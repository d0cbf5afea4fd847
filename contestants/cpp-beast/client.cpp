// Receives messages with Boost.Beast, as its synchronous client examples: connect, handshake, read for each message,
// write, close. Each connection has a thread.

#include "cpp/client.hpp"
#include "transport.hpp"

#include <boost/asio/connect.hpp>

bool has_ended(Error error) {
    return error == websocket::error::closed || error == net::error::eof || error == net::error::connection_reset ||
           error == net::ssl::error::stream_truncated;
}

template <typename Transport, typename... Tls>
void receive(kit::Client& client, Tls&... tls) {
    net::io_context io;
    tcp::resolver resolver{io};
    websocket::stream<Transport> stream{io, tls...};
    net::connect(beast::get_lowest_layer(stream), resolver.resolve(client.url.host, client.url.port));
    if constexpr (sizeof...(tls) > 0) stream.next_layer().handshake(net::ssl::stream_base::client);
    stream.handshake(client.url.authority, client.url.target);

    auto& counted = client.opened();
    beast::flat_buffer buffer;
    Error error;
    for (;;) {
        buffer.clear();
        stream.read(buffer, error);
        if (error) {
            if (has_ended(error)) return;
            throw beast::system_error{error};
        }
        switch (counted.received()) {
            case kit::Action::proceed:
                break;
            case kit::Action::reply:
                stream.text(stream.got_text());
                stream.write(buffer.data(), error);  // After an error, the next read fails as well.
                break;
            case kit::Action::close:
                stream.close(websocket::close_code::normal, error);  // The server's answer does not matter.
                return;
        }
    }
}

int main() {
    return kit::run_client([](kit::Client& client) {
        net::ssl::context tls{net::ssl::context::tls_client};
        tls.set_default_verify_paths();
        tls.set_verify_mode(net::ssl::verify_peer);
        tls.set_verify_callback(net::ssl::host_name_verification{client.url.host});
        kit::run_on_threads(client, [&tls](kit::Client& client) {
            client.url.is_tls ? receive<beast::ssl_stream<tcp::socket>>(client, tls) : receive<tcp::socket>(client);
        });
    });
}
