// Preprocessed, this file is the version of Boost.

#include <boost/version.hpp>
BOOST_LIB_VERSION
