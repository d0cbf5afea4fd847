// Counts the echoes of a client and prints its line: docs/contract.md, section 5.

package kit

import (
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"autostrada/kit/clock"
	"autostrada/kit/environment"
)

// Exchanger counts what comes back on all connections of a client.
type Exchanger struct {
	settings EchoSettings
	payload  []byte
	clock    func() int64
	output   io.Writer

	opened, echoed, wrong atomic.Uint64
	// When the window begins, in nanoseconds of the clock; zero until the last connection is open.
	beginsNS atomic.Int64
}

// ExchangerFromEnvironment makes the exchanger that the environment asks for, or ends the program.
func ExchangerFromEnvironment() *Exchanger {
	return newExchanger(environment.Read(ReadEchoSettings), clock.NowNS, os.Stdout)
}

func newExchanger(settings EchoSettings, clock func() int64, output io.Writer) *Exchanger {
	payload := []byte(settings.Payload)
	return &Exchanger{settings: settings, payload: payload, clock: clock, output: output}
}

// URL is where to connect.
func (e *Exchanger) URL() string { return e.settings.URL }

// Connections is how many to open.
func (e *Exchanger) Connections() uint64 { return e.settings.Connections }

// Payload is the text to send.
func (e *Exchanger) Payload() []byte { return e.payload }

// Opened is to be called as soon as the library says that a connection is open.
func (e *Exchanger) Opened() {
	if e.opened.Add(1) == e.settings.Connections {
		e.beginsNS.Store(e.clock() + e.settings.WarmUp.Nanoseconds())
	}
}

// Answered counts one answer, and tells whether to send again; otherwise the connection is to be
// closed.
func (e *Exchanger) Answered(isText bool, answer []byte) bool {
	isCounted, goesOn := e.phase()
	if !isText || string(answer) != e.settings.Payload {
		e.wrong.Add(1)
	} else if isCounted {
		e.echoed.Add(1)
	}
	return goesOn
}

// phase tells whether what comes at this instant is counted, and whether it goes on.
func (e *Exchanger) phase() (isCounted, goesOn bool) {
	beginsNS := e.beginsNS.Load()
	if beginsNS == 0 {
		return false, true
	}
	// Asking the clock costs little beside an echo.
	elapsedNS := e.clock() - beginsNS
	goesOn = elapsedNS < e.settings.Window.Nanoseconds()
	return goesOn && elapsedNS >= 0, goesOn
}

// PrintResult is to be called last, when all connections are closed.
func (e *Exchanger) PrintResult() {
	_, err := fmt.Fprintf(e.output, `{"event":"result","connections":%d,"echoed":%d,"wrong":%d,`+
		`"window_ns":%d}`+"\n", e.opened.Load(), e.echoed.Load(), e.wrong.Load(),
		e.settings.Window.Nanoseconds())
	if err != nil {
		environment.Exit(1, err)
	}
}
