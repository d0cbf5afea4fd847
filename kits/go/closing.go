// What the end of a TCP connection looks like to whoever reads from it.

package kit

import (
	"errors"
	"io"
	"syscall"
)

// IsEndOfStream tells whether a read failed because the server closed the TCP connection, with or
// without a closing handshake. The client then has done its work: docs/contract.md, section 3.4.
func IsEndOfStream(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, syscall.ECONNRESET)
}
