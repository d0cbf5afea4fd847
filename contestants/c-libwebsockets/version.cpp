// Prints the version of libwebsockets that the program is linked with.

#include <cstdio>
#include <libwebsockets.h>

int main() { std::puts(lws_get_library_version()); }
