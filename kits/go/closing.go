// Recognizes the end of a TCP connection in read errors.

package kit

import (
	"errors"
	"io"
	"syscall"
)

// IsEndOfStream reports whether a read failed because the server closed the TCP connection, with or
// without a closing handshake. Then the client is done: docs/contract.md, section 3.4.
func IsEndOfStream(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, syscall.ECONNRESET)
}
