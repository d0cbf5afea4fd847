// The smallest program that receives with github.com/lxzan/gws.
package main

import (
	"os"
	"strconv"

	"github.com/lxzan/gws"
)

type counter struct {
	gws.BuiltinEventHandler
	count, messages int
}

func (c *counter) OnPing(socket *gws.Conn, payload []byte) { socket.WritePong(payload) }

func (c *counter) OnMessage(socket *gws.Conn, message *gws.Message) {
	defer message.Close()
	c.count++
	if c.count == c.messages {
		socket.WriteClose(1000, nil)
	}
}

func main() {
	messages, err := strconv.Atoi(os.Getenv("MESSAGES"))
	if err != nil {
		panic(err)
	}
	events := &counter{messages: messages}
	socket, _, err := gws.NewClient(events, &gws.ClientOption{Addr: os.Getenv("URL")})
	if err != nil {
		panic(err)
	}
	socket.ReadLoop()
}
