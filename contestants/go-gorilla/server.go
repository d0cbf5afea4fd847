// Serves with github.com/gorilla/websocket, as its documentation shows: Upgrade in a handler of
// net/http, ReadMessage and WriteMessage for each message; subscribers as in its chat example.
package main

import (
	"net/http"

	"autostrada/kit"

	"github.com/gorilla/websocket"
)

var subscribers kit.Subscribers[*websocket.PreparedMessage]

func main() {
	server := kit.ReadServer()
	// The contract requires compression to be off by default, which is the library's default.
	upgrader := &websocket.Upgrader{EnableCompression: server.Deflate}
	for path, work := range map[string]func(*websocket.Conn){
		"/echo": echo, "/subscribe": subscribe, "/publish": publish,
	} {
		http.HandleFunc(path, func(response http.ResponseWriter, request *http.Request) {
			connection, err := upgrader.Upgrade(response, request, nil)
			if err != nil {
				return // Upgrade has sent the reason.
			}
			defer connection.Close()
			work(connection)
		})
	}
	server.Serve()
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

func publish(connection *websocket.Conn) {
	for {
		messageType, payload, err := connection.ReadMessage()
		if err != nil {
			return
		}
		if message, err := websocket.NewPreparedMessage(messageType, payload); err == nil {
			subscribers.Send(message)
		}
	}
}

func subscribe(connection *websocket.Conn) {
	queue := subscribers.Join()
	defer subscribers.Leave(queue)
	go func() {
		defer subscribers.Leave(queue)
		for {
			if _, _, err := connection.NextReader(); err != nil {
				return
			}
		}
	}()
	for message := range queue {
		if err := connection.WritePreparedMessage(message); err != nil {
			return
		}
	}
}
