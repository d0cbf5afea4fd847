// Echoes messages and sends a feed with github.com/coder/websocket, as its documentation shows:
// Accept in a handler of net/http, Read and Write for each message.
package main

import (
	"context"
	"net/http"

	"autostrada/kit/serving"

	"github.com/coder/websocket"
)

func main() {
	settings := serving.FromEnvironment()
	options := &websocket.AcceptOptions{}
	if settings.Deflate {
		// The contract requires compression to be off by default, which is the library's default.
		options.CompressionMode = websocket.CompressionContextTakeover
	}

	handlers := http.NewServeMux()
	handlers.Handle("/echo", accepting(options, echo))
	if settings.Feed != nil {
		handlers.Handle("/feed", accepting(options, feeder(*settings.Feed)))
	}
	serving.Serve(settings, handlers)
}

// accepting returns a handler that accepts a connection and passes it to work.
func accepting(options *websocket.AcceptOptions, work func(*websocket.Conn)) http.HandlerFunc {
	return func(response http.ResponseWriter, request *http.Request) {
		connection, err := websocket.Accept(response, request, options)
		if err != nil {
			return // Accept has sent the reason.
		}
		defer connection.CloseNow()
		// The contract requires messages of up to 16 MiB; the library's default is 32 KiB.
		connection.SetReadLimit(serving.PayloadBytesMax)
		work(connection)
	}
}

func echo(connection *websocket.Conn) {
	background := context.Background()
	for {
		messageType, payload, err := connection.Read(background)
		if err != nil {
			return
		}
		if err := connection.Write(background, messageType, payload); err != nil {
			return
		}
	}
}
