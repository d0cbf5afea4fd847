// The lines a client prints: docs/contract.md, sections 3.2, 3.3 and 4.

package kit

import (
	"fmt"
	"io"
)

type totals struct{ messages, bytes uint64 }

func (t totals) plus(other totals) totals {
	return totals{t.messages + other.messages, t.bytes + other.bytes}
}

type result struct {
	connections          int
	received             totals
	openedNS, receivedNS int64
}

// report prints a client's lines.
type report struct {
	lines  Lines
	name   string
	output io.Writer
	second int64
}

func (r *report) printSecond(arrived totals) error {
	var err error
	if r.lines == Autoroute {
		_, err = fmt.Fprintf(r.output, "messages received per second: %d\n", arrived.messages)
	} else {
		_, err = fmt.Fprintf(r.output, `{"event":"second","second":%d,"messages":%d,"bytes":%d}`+"\n",
			r.second, arrived.messages, arrived.bytes)
	}
	r.second++
	return err
}

func (r *report) printResult(result result) error {
	var err error
	if r.lines == Autoroute {
		milliseconds := (result.receivedNS - result.openedNS + 500_000) / 1_000_000
		_, err = fmt.Fprintf(r.output, "AUTOROUTE %s :: %d ms\n", r.name, milliseconds)
	} else {
		_, err = fmt.Fprintf(r.output, `{"event":"result","connections":%d,"messages":%d,"bytes":%d,`+
			`"opened_ns":%d,"received_ns":%d}`+"\n", result.connections,
			result.received.messages, result.received.bytes, result.openedNS, result.receivedNS)
	}
	return err
}
