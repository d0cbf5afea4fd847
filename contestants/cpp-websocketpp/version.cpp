// Prints the versions of WebSocket++ and of its Boost.

#include <boost/version.hpp>
#include <iostream>
#include <websocketpp/version.hpp>

int main() {
    namespace version = websocketpp;
    std::cout << version::major_version << '.' << version::minor_version << '.'
              << version::patch_version << " (Boost " << BOOST_VERSION / 100'000 << '.'
              << BOOST_VERSION / 100 % 1'000 << '.' << BOOST_VERSION % 100 << ")\n";
}
