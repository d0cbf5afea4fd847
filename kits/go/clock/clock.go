// Package clock reads CLOCK_MONOTONIC, whose readings are comparable between processes of one host.
package clock

import (
	_ "unsafe" // For go:linkname.
)

// NowNS returns the reading of CLOCK_MONOTONIC in nanoseconds.
//
// It calls the runtime's clock, which needs no system call. A time.Time contains the same reading
// but does not expose it; a system call would cost more than everything else that a kit does per
// message.
func NowNS() int64 { return nanotime() }

//go:linkname nanotime runtime.nanotime
func nanotime() int64
