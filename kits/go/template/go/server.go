// Serves with LIBRARY, as its documentation shows.
package main

import (
	"net/http"

	"autostrada/kit"
)

func main() {
	server := kit.ReadServer()
	for _, path := range []string{"/echo", "/publish", "/subscribe"} {
		http.HandleFunc(path, func(response http.ResponseWriter, _ *http.Request) {
			// LIBRARY: accept the connection, without compression, for messages of up to
			// kit.MessageBytesMax.
			// LIBRARY: /echo: send each message back unchanged, until the connection ends.
			// LIBRARY: /publish: send each message to all connections to /subscribe.
			http.Error(response, "server.go lacks the calls of the library", http.StatusNotImplemented)
		})
	}
	server.Serve()
}
