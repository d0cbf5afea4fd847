// Preprocessed with the macros of openssl/opensslv.h, this file is the version of OpenSSL.

OPENSSL_VERSION_STR
