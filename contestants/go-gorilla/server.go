// Echoes messages and sends a feed with github.com/gorilla/websocket, as its documentation shows:
// Upgrade in a handler of net/http, ReadMessage and WriteMessage for each message.
package main

import (
	"net/http"

	"autostrada/kit/feed"
	"autostrada/kit/serving"

	"github.com/gorilla/websocket"
)

func main() {
	settings := serving.FromEnvironment()
	upgrader := &websocket.Upgrader{
		// The contract requires compression to be off by default, which is the library's default.
		EnableCompression: settings.Deflate,
	}

	handlers := http.NewServeMux()
	handlers.Handle("/echo", upgrading(upgrader, echo))
	if settings.Feed != nil {
		handlers.Handle("/feed", upgrading(upgrader, feeder(settings)))
	}
	serving.Serve(settings, handlers)
}

// upgrading returns a handler that accepts a connection and passes it to work.
func upgrading(upgrader *websocket.Upgrader, work func(*websocket.Conn)) http.HandlerFunc {
	return func(response http.ResponseWriter, request *http.Request) {
		connection, err := upgrader.Upgrade(response, request, nil)
		if err != nil {
			return // Upgrade has sent the reason.
		}
		defer connection.Close()
		work(connection)
	}
}

func echo(connection *websocket.Conn) {
	for {
		messageType, payload, err := connection.ReadMessage()
		if err != nil {
			return
		}
		if err := connection.WriteMessage(messageType, payload); err != nil {
			return
		}
	}
}

func typeOf(message feed.Message) int {
	if message.IsText {
		return websocket.TextMessage
	}
	return websocket.BinaryMessage
}
