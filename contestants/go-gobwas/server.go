// Serves with github.com/gobwas/ws, as its documentation shows: UpgradeHTTP in a handler of net/http,
// ReadClientData and WriteServerMessage for each message; a compiled frame for all subscribers.
package main

import (
	"net"
	"net/http"

	"autostrada/kit"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"
)

var subscribers kit.Subscribers[[]byte]

func main() {
	server := kit.ReadServer()
	for path, work := range map[string]func(net.Conn){
		"/echo": echo, "/subscribe": subscribe, "/publish": publish,
	} {
		http.HandleFunc(path, func(response http.ResponseWriter, request *http.Request) {
			connection, _, _, err := ws.UpgradeHTTP(request, response)
			if err != nil {
				return // UpgradeHTTP has sent the reason.
			}
			go func() {
				defer connection.Close()
				work(connection)
			}()
		})
	}
	server.Serve()
}

func echo(connection net.Conn) {
	for {
		message, code, err := wsutil.ReadClientData(connection)
		if err != nil {
			return
		}
		if err := wsutil.WriteServerMessage(connection, code, message); err != nil {
			return
		}
	}
}

func publish(connection net.Conn) {
	for {
		message, code, err := wsutil.ReadClientData(connection)
		if err != nil {
			return
		}
		subscribers.Send(ws.MustCompileFrame(ws.NewFrame(code, true, message)))
	}
}

func subscribe(connection net.Conn) {
	queue := subscribers.Join()
	defer subscribers.Leave(queue)
	go func() {
		defer subscribers.Leave(queue)
		for {
			if _, _, err := wsutil.ReadClientData(connection); err != nil {
				return
			}
		}
	}()
	for frame := range queue {
		if _, err := connection.Write(frame); err != nil {
			return
		}
	}
}
