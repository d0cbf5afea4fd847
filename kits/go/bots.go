// Bots: connections that send when it is due. docs/contract.md, section 6.

package kit

import (
	"fmt"
	"io"
	"os"
	"sync"

	"autostrada/kit/clock"
	"autostrada/kit/environment"
	"autostrada/kit/feed"
)

// Bots are all connections' events.
type Bots struct {
	settings BotSettings
	clock    func() int64
	output   io.Writer

	lock   sync.Mutex
	opened []*Bot
	// Is closed when all connections are open. What follows is set then.
	begun                            chan struct{}
	startNS, windowNS, endNS, leftNS int64
}

// BotsFromEnvironment makes the bots that the environment asks for, or ends the program.
func BotsFromEnvironment() *Bots {
	return newBots(environment.Read(ReadBotSettings), clock.NowNS, os.Stdout)
}

func newBots(settings BotSettings, clock func() int64, output io.Writer) *Bots {
	return &Bots{settings: settings, clock: clock, output: output, begun: make(chan struct{})}
}

// URL is where to connect.
func (b *Bots) URL() string { return b.settings.URL }

// Connections is how many to open.
func (b *Bots) Connections() uint64 { return b.settings.Connections }

// Opened is to be called as soon as the library says that a connection is open.
func (b *Bots) Opened() *Bot {
	b.lock.Lock()
	defer b.lock.Unlock()
	bot := newBot(b, uint64(len(b.opened)))
	b.opened = append(b.opened, bot)
	if uint64(len(b.opened)) == b.settings.Connections {
		b.startNS = b.clock()
		b.windowNS = b.startNS + b.settings.WarmUp.Nanoseconds()
		b.endNS = b.windowNS + b.settings.Window.Nanoseconds()
		b.leftNS = b.endNS + b.settings.Drain.Nanoseconds()
		close(b.begun)
	}
	return bot
}

// dueNS is when an event of a connection is due.
func (b *Bots) dueNS(connection, event uint64) int64 {
	every := b.settings.Every.Nanoseconds()
	offsetNS := int64(connection) * every / int64(b.settings.Connections)
	return b.startNS + offsetNS + int64(event)*every
}

func (b *Bots) isInWindow(dueNS int64) bool { return b.windowNS <= dueNS && dueNS < b.endNS }

func stamp(event uint64, dueNS int64, payload string) string {
	return fmt.Sprintf("%020d %020d %s", event, dueNS, payload)
}

// PrintResult is to be called last, when all connections are closed.
func (b *Bots) PrintResult() {
	result := struct {
		Connections    int            `json:"connections"`
		Sent           uint64         `json:"sent"`
		Echoed         uint64         `json:"echoed"`
		Wrong          uint64         `json:"wrong"`
		WindowNS       int64          `json:"window_ns"`
		ResponseTimeNS feed.Latencies `json:"response_time_ns"`
	}{
		Connections:    len(b.opened),
		WindowNS:       b.settings.Window.Nanoseconds(),
		ResponseTimeNS: feed.Latencies{},
	}
	for _, bot := range b.opened {
		bot.lock.Lock()
		result.Sent += bot.sentInWindow
		result.Wrong += bot.wrong
		result.ResponseTimeNS.Merge(bot.latencies)
		bot.lock.Unlock()
	}
	result.Echoed = result.ResponseTimeNS.Total()
	if err := printEvent(b.output, "result", result); err != nil {
		environment.Exit(1, err)
	}
}
