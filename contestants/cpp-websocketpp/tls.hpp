// The TLS contexts of server and client, as the library's examples make them.

#pragma once

#include <boost/asio/ssl.hpp>
#include <memory>
#include <string>

inline auto make_server_tls(std::string const& certificate_file, std::string const& key_file) {
    using boost::asio::ssl::context;
    auto const made = std::make_shared<context>(context::tls_server);
    made->use_certificate_chain_file(certificate_file);
    made->use_private_key_file(key_file, context::pem);
    return made;
}

inline auto make_client_tls(std::string const& host) {
    namespace ssl = boost::asio::ssl;
    auto const made = std::make_shared<ssl::context>(ssl::context::tls_client);
    made->set_default_verify_paths();
    made->set_verify_mode(ssl::verify_peer);
    made->set_verify_callback(ssl::host_name_verification{host});
    return made;
}
