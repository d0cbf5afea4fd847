// Echoes messages with LIBRARY, as its documentation shows.
package main

import (
	"net/http"

	"autostrada/kit/serving"
)

func main() {
	settings := serving.FromEnvironment()
	handlers := http.NewServeMux()
	handlers.HandleFunc("/echo", echo)
	serving.Serve(settings, handlers)
}

func echo(response http.ResponseWriter, request *http.Request) {
	// LIBRARY: accept the connection, without compression, for messages of up to serving.PayloadBytesMax.
	// LIBRARY: read each message and send it back unchanged, until the connection ends.
	http.Error(response, "server.go lacks the calls of the library", http.StatusNotImplemented)
}
