// Prints the lines of a client: docs/contract.md, sections 3.2, 3.3, 4 and 7.6.

package kit

import (
	"encoding/json"
	"fmt"
	"io"

	"autostrada/kit/feed"
)

type totals struct{ messages, bytes uint64 }

func (t totals) plus(other totals) totals {
	return totals{t.messages + other.messages, t.bytes + other.bytes}
}

type result struct {
	Connections int    `json:"connections"`
	Messages    uint64 `json:"messages"`
	Bytes       uint64 `json:"bytes"`
	OpenedNS    int64  `json:"opened_ns"`
	ReceivedNS  int64  `json:"received_ns"`
	// Nil without a feed.
	*feed.Findings
}

// report prints the lines of a client.
type report struct {
	lines  string
	name   string
	output io.Writer
	second int64
}

func (r *report) printSecond(arrived totals) error {
	var err error
	if r.lines == "autoroute" {
		_, err = fmt.Fprintf(r.output, "messages received per second: %d\n", arrived.messages)
	} else {
		_, err = fmt.Fprintf(r.output, `{"event":"second","second":%d,"messages":%d,"bytes":%d}`+"\n",
			r.second, arrived.messages, arrived.bytes)
	}
	r.second++
	return err
}

func (r *report) printResult(result result) error {
	if r.lines == "autoroute" {
		milliseconds := (result.ReceivedNS - result.OpenedNS + 500_000) / 1_000_000
		_, err := fmt.Fprintf(r.output, "AUTOROUTE %s :: %d ms\n", r.name, milliseconds)
		return err
	}
	return printEvent(r.output, "result", result)
}

// printEvent prints the line of an event: its name, then the other keys.
func printEvent(output io.Writer, event string, keys any) error {
	line, err := json.Marshal(keys)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(output, `{"event":%q,%s`+"\n", event, line[1:])
	return err
}
