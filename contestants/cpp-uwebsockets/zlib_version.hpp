// The preprocessor turns this file into the version of zlib, with the macros of zlib.h.

ZLIB_VERSION
