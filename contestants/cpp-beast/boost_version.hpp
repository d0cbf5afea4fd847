// The preprocessor turns this file into the version of Boost.

#include <boost/version.hpp>
BOOST_LIB_VERSION
