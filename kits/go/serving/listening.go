// Listens for HTTP requests, which WebSocket handshakes are.

package serving

import (
	"context"
	"net"
	"net/http"
	"strconv"
	"syscall"

	"autostrada/kit/environment"

	"golang.org/x/sys/unix"
)

// Serve answers requests with the handlers, in this process or in the configured number of workers.
// It does not return.
func Serve(settings Settings, handlers http.Handler) {
	if settings.Workers > 1 && !isWorker() {
		environment.Exit(1, runWorkers(settings.Workers))
	}
	listener, err := listen(settings)
	if err != nil {
		environment.Exit(1, err)
	}
	environment.Exit(1, serveOn(listener, settings, handlers))
}

func serveOn(listener net.Listener, settings Settings, handlers http.Handler) error {
	if settings.TLSCert != "" {
		return http.ServeTLS(listener, handlers, settings.TLSCert, settings.TLSKey)
	}
	return http.Serve(listener, handlers)
}

func listen(settings Settings) (net.Listener, error) {
	var config net.ListenConfig
	if settings.Workers > 1 {
		config.Control = sharePort
	}
	address := net.JoinHostPort(settings.Host, strconv.FormatUint(settings.Port, 10))
	return config.Listen(context.Background(), "tcp", address)
}

// sharePort allows other processes to listen on the same port.
func sharePort(_, _ string, connection syscall.RawConn) error {
	var refused error
	err := connection.Control(func(socket uintptr) {
		refused = unix.SetsockoptInt(int(socket), unix.SOL_SOCKET, unix.SO_REUSEPORT, 1)
	})
	if err != nil {
		return err
	}
	return refused
}
