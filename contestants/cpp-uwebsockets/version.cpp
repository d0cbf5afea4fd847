// Prints the version of uWebSockets, and of the crate: its sources do not say it themselves.

#include "libusockets.h"

#include <cstdio>

int main() { std::puts("20.57 (crate libuwebsockets-sys 0.0.10)"); }
