// Serves with github.com/coder/websocket, as its documentation shows: Accept in a handler of
// net/http, Read and Write for each message; subscribers as in its chat example.
package main

import (
	"context"
	"net/http"

	"autostrada/kit"

	"github.com/coder/websocket"
)

type message struct {
	messageType websocket.MessageType
	payload     []byte
}

var (
	background  = context.Background()
	subscribers kit.Subscribers[message]
)

func main() {
	server := kit.ReadServer()
	options := &websocket.AcceptOptions{}
	if server.Deflate {
		// The contract requires compression to be off by default, which is the library's default.
		options.CompressionMode = websocket.CompressionContextTakeover
	}
	for path, work := range map[string]func(*websocket.Conn){
		"/echo": echo, "/subscribe": subscribe, "/publish": publish,
	} {
		http.HandleFunc(path, func(response http.ResponseWriter, request *http.Request) {
			connection, err := websocket.Accept(response, request, options)
			if err != nil {
				return // Accept has sent the reason.
			}
			defer connection.CloseNow()
			// The contract requires messages of up to 16 MiB; the library's default is 32 KiB.
			connection.SetReadLimit(kit.MessageBytesMax)
			work(connection)
		})
	}
	server.Serve()
}

func echo(connection *websocket.Conn) {
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

func publish(connection *websocket.Conn) {
	for {
		messageType, payload, err := connection.Read(background)
		if err != nil {
			return
		}
		subscribers.Send(message{messageType, payload})
	}
}

func subscribe(connection *websocket.Conn) {
	queue := subscribers.Join()
	defer subscribers.Leave(queue)
	go func() {
		// CloseRead would close the connection of a subscriber that sends a message.
		defer subscribers.Leave(queue)
		for {
			if _, _, err := connection.Read(background); err != nil {
				return
			}
		}
	}()
	for each := range queue {
		if err := connection.Write(background, each.messageType, each.payload); err != nil {
			return
		}
	}
}
