// The smallest program that echoes with github.com/lxzan/gws.
package main

import (
	"net"
	"net/http"
	"os"

	"github.com/lxzan/gws"
)

type echo struct{ gws.BuiltinEventHandler }

func (*echo) OnMessage(socket *gws.Conn, message *gws.Message) {
	defer message.Close()
	socket.WriteMessage(message.Opcode, message.Bytes())
}

func main() {
	upgrader := gws.NewUpgrader(&echo{}, &gws.ServerOption{})
	http.HandleFunc("/echo", func(response http.ResponseWriter, request *http.Request) {
		socket, err := upgrader.Upgrade(response, request)
		if err != nil {
			return
		}
		go socket.ReadLoop()
	})
	panic(http.ListenAndServe(net.JoinHostPort(os.Getenv("HOST"), os.Getenv("PORT")), nil))
}
