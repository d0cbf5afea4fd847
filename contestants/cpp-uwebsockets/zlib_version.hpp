// Preprocessed, this file is the version of zlib.

#include <zlib.h>
ZLIB_VERSION
