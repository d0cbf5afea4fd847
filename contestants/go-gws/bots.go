// Bots with github.com/lxzan/gws: a goroutine sends, the handler of a message takes the answers.

package main

import (
	"autostrada/kit"

	"github.com/lxzan/gws"
)

type playing struct {
	handler
	bot *kit.Bot
}

func sendWhenDue(bots *kit.Bots) error {
	events := &playing{}
	socket, _, err := gws.NewClient(events, &gws.ClientOption{Addr: bots.URL()})
	if err != nil {
		return err
	}
	events.bot = bots.Opened()
	go socket.ReadLoop()
	err = events.bot.SendWhenDue(func(event []byte) error {
		return socket.WriteMessage(gws.OpcodeText, event)
	})
	if err != nil {
		return err
	}
	socket.WriteClose(1000, nil)
	return nil
}

func (p *playing) OnMessage(_ *gws.Conn, message *gws.Message) {
	defer message.Close()
	p.bot.Answered(message.Opcode == gws.OpcodeText, message.Bytes())
}

func (p *playing) OnClose(_ *gws.Conn, reason error) { p.bot.Ended(reason) }
