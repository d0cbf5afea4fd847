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
func ReadServer() Server { return readOrExit(readServer) }

func readServer(given *variables) Server {
	server := Server{
		Deflate:  given.choice("COMPRESSION", "", "deflate") == "deflate",
		host:     given.text("HOST", "127.0.0.1"),
		certFile: given.text("TLS_CERT", ""),
		keyFile:  given.text("TLS_KEY", ""),
		port:     given.count("PORT", 0, math.MaxUint16),
	}
	if server.certFile != "" || server.keyFile != "" {
		if _, err := tls.LoadX509KeyPair(server.certFile, server.keyFile); err != nil {
			given.fail("TLS_CERT is %q: give a certificate and its key: %v", server.certFile, err)
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
	exit(1, s.serveOn(listener))
}

func (s Server) serveOn(listener net.Listener) error {
	if s.certFile != "" {
		return http.ServeTLS(listener, nil, s.certFile, s.keyFile)
	}
	return http.Serve(listener, nil)
}
