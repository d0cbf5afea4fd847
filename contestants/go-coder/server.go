// Echoes, and sends a feed to subscribers, with github.com/coder/websocket, as its documentation does: Accept
// in a handler of net/http, Read and Write for each message.
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
		// The contract: off where it is not asked for, which is the library's default.
		options.CompressionMode = websocket.CompressionContextTakeover
	}

	handlers := http.NewServeMux()
	handlers.Handle("/echo", accepting(options, echo))
	if settings.Feed != nil {
		handlers.Handle("/feed", accepting(options, feeder(*settings.Feed)))
	}
	serving.Serve(settings, handlers)
}

// accepting makes a handler that opens a connection for what is done with it.
func accepting(options *websocket.AcceptOptions, work func(*websocket.Conn)) http.HandlerFunc {
	return func(response http.ResponseWriter, request *http.Request) {
		connection, err := websocket.Accept(response, request, options)
		if err != nil {
			return // It has answered with the reason.
		}
		defer connection.CloseNow()
		// The contract: messages of 16 MiB. The library's default is 32 KiB.
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
