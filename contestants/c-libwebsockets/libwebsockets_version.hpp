// The preprocessor turns this file into the version of libwebsockets.

#include <lws_config.h>
LWS_LIBRARY_VERSION
