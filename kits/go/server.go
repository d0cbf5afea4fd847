// Reads the variables of a server, and listens for HTTP requests, which WebSocket handshakes are.

package kit

import (
	"crypto/tls"
	"math"
	"net"
	"net/http"
	"strconv"
)

// MessageBytesMax is the longest message that a program must accept, whatever the default of its
// library.
const MessageBytesMax = 16 * 1024 * 1024

// Server has the settings of a server.
type Server struct {
	// Deflate tells whether compression is granted to clients that offer it.
	Deflate bool

	host, certFile, keyFile string
	port                    uint64
}

// ReadServer reads the environment variables, or ends the program with status 2 and the reason.
func ReadServer() Server {
	server := Server{
		Deflate:  choice("COMPRESSION", "", "deflate") == "deflate",
		host:     text("HOST", "127.0.0.1"),
		certFile: text("TLS_CERT", ""),
		keyFile:  text("TLS_KEY", ""),
		port:     count("PORT", 0, math.MaxUint16),
	}
	if server.certFile != "" || server.keyFile != "" {
		if _, err := tls.LoadX509KeyPair(server.certFile, server.keyFile); err != nil {
			refuse("TLS_CERT is %q: give a certificate and its key: %v", server.certFile, err)
		}
	}
	return server
}

// Serve answers requests with the handlers of net/http. It does not return.
func (s Server) Serve() {
	listener, err := net.Listen("tcp", net.JoinHostPort(s.host, strconv.FormatUint(s.port, 10)))
	if err != nil {
		exit(1, err)
	}
	if s.certFile != "" {
		exit(1, http.ServeTLS(listener, nil, s.certFile, s.keyFile))
	}
	exit(1, http.Serve(listener, nil))
}
