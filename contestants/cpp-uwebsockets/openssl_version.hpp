// Preprocessed, this file is the version of OpenSSL.

#include <openssl/opensslv.h>
OPENSSL_VERSION_STR
