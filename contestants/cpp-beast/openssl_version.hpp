// The preprocessor turns this file into the version of OpenSSL, with the macros of
// openssl/opensslv.h.

OPENSSL_VERSION_STR
