// Prints the versions of uWebSockets and of the crate: the sources do not contain them.

#include "libusockets.h"

#include <cstdio>

int main() { std::puts("20.57 (crate libuwebsockets-sys 0.0.10)"); }
