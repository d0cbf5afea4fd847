package kit

import (
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
)

func TestTheEndOfAStreamIsFoundInsideAnError(t *testing.T) {
	reset := &net.OpError{Op: "read", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
	for _, err := range []error{io.EOF, io.ErrUnexpectedEOF, reset} {
		if !IsEndOfStream(fmt.Errorf("failed to read: %w", err)) {
			t.Errorf("not found: %v", err)
		}
	}
}

func TestOtherErrorsAreNoEndOfAStream(t *testing.T) {
	for _, err := range []error{nil, io.ErrShortBuffer, syscall.ECONNREFUSED} {
		if IsEndOfStream(err) {
			t.Errorf("found: %v", err)
		}
	}
}
