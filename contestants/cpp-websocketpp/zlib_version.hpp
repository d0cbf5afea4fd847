// Preprocessed with the macros of zlib.h, this file is the version of zlib.

ZLIB_VERSION
