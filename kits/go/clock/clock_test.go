package clock

import (
	"testing"

	"golang.org/x/sys/unix"
)

func TestItReadsTheClockOfTheKernel(t *testing.T) {
	before := kernelNS(t)
	now := NowNS()
	after := kernelNS(t)
	if now < before || after < now {
		t.Fatalf("got %d, not between %d and %d", now, before, after)
	}
}

func kernelNS(t *testing.T) int64 {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		t.Fatal(err)
	}
	return now.Nano()
}
