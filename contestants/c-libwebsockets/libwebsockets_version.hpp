// Preprocessed, this file is the version of libwebsockets.

#include <lws_config.h>
LWS_LIBRARY_VERSION
