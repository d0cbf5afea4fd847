// Counts a client's echoes and prints its result line: docs/contract.md, section 5.

package kit

import (
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"autostrada/kit/clock"
	"autostrada/kit/environment"
)

// Exchanger counts the echoes of all connections of a client.
type Exchanger struct {
	settings EchoSettings
	payload  []byte
	clock    func() int64
	output   io.Writer

	opened, echoed, wrong atomic.Uint64
	// Start of the window, in nanoseconds of the clock; zero until the last connection is open.
	beginsNS atomic.Int64
}

// ExchangerFromEnvironment creates the exchanger that the environment variables describe, or ends
// the program.
func ExchangerFromEnvironment() *Exchanger {
	return newExchanger(environment.Read(ReadEchoSettings), clock.NowNS, os.Stdout)
}

func newExchanger(settings EchoSettings, clock func() int64, output io.Writer) *Exchanger {
	payload := []byte(settings.Payload)
	return &Exchanger{settings: settings, payload: payload, clock: clock, output: output}
}

// URL returns the server's address.
func (e *Exchanger) URL() string { return e.settings.URL }

// Connections returns the number of connections to open.
func (e *Exchanger) Connections() uint64 { return e.settings.Connections }

// Payload returns the text to send.
func (e *Exchanger) Payload() []byte { return e.payload }

// Opened must be called as soon as the library reports that a connection is open.
func (e *Exchanger) Opened() {
	if e.opened.Add(1) == e.settings.Connections {
		e.beginsNS.Store(e.clock() + e.settings.WarmUp.Nanoseconds())
	}
}

// Answered counts one answer and reports whether to send the next message; if not, close the
// connection.
func (e *Exchanger) Answered(isText bool, answer []byte) bool {
	isCounted, isOngoing := e.phase()
	if !isText || string(answer) != e.settings.Payload {
		e.wrong.Add(1)
	} else if isCounted {
		e.echoed.Add(1)
	}
	return isOngoing
}

// phase reports whether an answer received at this instant is counted, and whether the exchange
// continues.
func (e *Exchanger) phase() (isCounted, isOngoing bool) {
	beginsNS := e.beginsNS.Load()
	if beginsNS == 0 {
		return false, true
	}
	// Reading the clock is cheap compared with an echo.
	elapsedNS := e.clock() - beginsNS
	isOngoing = elapsedNS < e.settings.Window.Nanoseconds()
	return isOngoing && elapsedNS >= 0, isOngoing
}

// PrintResult prints the result line. It must be called last, when all connections are closed.
func (e *Exchanger) PrintResult() {
	_, err := fmt.Fprintf(e.output, `{"event":"result","connections":%d,"echoed":%d,"wrong":%d,`+
		`"window_ns":%d}`+"\n", e.opened.Load(), e.echoed.Load(), e.wrong.Load(),
		e.settings.Window.Nanoseconds())
	if err != nil {
		environment.Exit(1, err)
	}
}
