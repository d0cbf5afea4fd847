// What client and server need of Boost.Beast and Boost.Asio: streams with and without TLS.

#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <boost/beast/websocket.hpp>
#include <boost/beast/websocket/ssl.hpp>

namespace beast = boost::beast;
namespace http = beast::http;
namespace net = boost::asio;
namespace websocket = beast::websocket;
using tcp = net::ip::tcp;
using Error = beast::error_code;
using Plain = beast::tcp_stream;
using Secure = beast::ssl_stream<beast::tcp_stream>;

// Calls then after the handshake of TLS, if the stream has one.
template <typename Stream, typename Then>
void start_tls(Stream& stream, net::ssl::stream_base::handshake_type side, Then&& then) {
    if constexpr (std::is_same_v<typename Stream::next_layer_type, Secure>) {
        stream.next_layer().async_handshake(side, std::forward<Then>(then));
    } else {
        then(Error{});
    }
}
