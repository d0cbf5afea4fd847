// Prints the versions of Beast and of the Boost release that contains it.

#include <boost/beast/version.hpp>
#include <boost/version.hpp>
#include <iostream>

int main() {
    std::cout << BOOST_BEAST_VERSION << " (Boost " << BOOST_VERSION / 100'000 << '.'
              << BOOST_VERSION / 100 % 1'000 << '.' << BOOST_VERSION % 100 << ")\n";
}
