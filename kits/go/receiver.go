// Adds up the messages that a client receives: docs/contract.md, section 3.

package kit

import (
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"autostrada/kit/clock"
	"autostrada/kit/environment"
	"autostrada/kit/feed"
)

// Receiver adds up the messages of all connections of a client.
type Receiver struct {
	settings Settings
	clock    func() int64
	// Called once, with the lock held, when the first connection is open.
	startTicker func(openedNS int64)

	lock       sync.Mutex
	report     report
	isFinished bool
	openedNS   int64
	counters   []*Counter
	// The published word of each counter when the last second was printed.
	printed []uint64
}

// ReceiverFromEnvironment creates the receiver that the environment variables describe, or ends the
// program.
func ReceiverFromEnvironment() *Receiver {
	settings := environment.Read(ReadSettings)
	// A contestant runs in its folder; the folder's name is the contestant's name.
	folder, err := os.Getwd()
	if err != nil {
		environment.Exit(1, err)
	}
	receiver := newReceiver(settings, filepath.Base(folder), clock.NowNS, os.Stdout)
	receiver.startTicker = func(openedNS int64) { go receiver.tick(openedNS) }
	return receiver
}

func newReceiver(settings Settings, name string, clock func() int64, output io.Writer) *Receiver {
	return &Receiver{
		settings:    settings,
		clock:       clock,
		startTicker: func(int64) {},
		report:      report{lines: settings.Lines, name: name, output: output},
	}
}

// URL returns the server's address.
func (r *Receiver) URL() string { return r.settings.URL }

// Connections returns the number of connections to open.
func (r *Receiver) Connections() uint64 { return r.settings.Connections }

// Opened must be called as soon as the library reports that a connection is open.
func (r *Receiver) Opened() *Counter {
	r.lock.Lock()
	defer r.lock.Unlock()
	counter := &Counter{expected: r.settings.Messages, clock: r.clock}
	if r.settings.Feed != nil {
		counter.checker = feed.NewChecker(*r.settings.Feed)
	}
	r.counters = append(r.counters, counter)
	r.printed = append(r.printed, 0)
	if len(r.counters) == 1 {
		r.openedNS = r.clock()
		r.startTicker(r.openedNS)
	}
	return counter
}

// PrintResult prints the result. It must be called last, when no counter is in use.
func (r *Receiver) PrintResult() {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.isFinished = true
	result := result{Connections: len(r.counters), OpenedNS: r.openedNS, ReceivedNS: r.endNS()}
	r.printSeconds(result.ReceivedNS)
	if r.settings.Feed != nil {
		result.Findings = feed.NewFindings(*r.settings.Feed)
	}
	for _, counter := range r.counters {
		result.Messages += counter.messages
		result.Bytes += counter.bytes
		if result.Findings != nil {
			result.Findings.Add(counter.checker)
		}
	}
	if err := r.report.printResult(result); err != nil {
		environment.Exit(1, err)
	}
}

// tick prints a line for each second since openedNS.
func (r *Receiver) tick(openedNS int64) {
	for second := int64(1); ; second++ {
		due := openedNS + second*time.Second.Nanoseconds()
		time.Sleep(time.Duration(due - r.clock()))
		if isFinished := r.printSecond(); isFinished {
			return
		}
	}
}

// printSecond prints the seconds that have ended; it prints nothing after the result.
func (r *Receiver) printSecond() (isFinished bool) {
	r.lock.Lock()
	defer r.lock.Unlock()
	if !r.isFinished {
		r.printSeconds(r.endNS())
	}
	return r.isFinished
}

// printSeconds prints a line for each second that ended by endNS and has no line yet.
func (r *Receiver) printSeconds(endNS int64) {
	for r.openedNS+(r.report.second+1)*time.Second.Nanoseconds() <= endNS {
		var arrived totals
		for i, counter := range r.counters {
			published := counter.published.Load()
			arrived = arrived.plus(difference(r.printed[i], published))
			r.printed[i] = published
		}
		if err := r.report.printSecond(arrived); err != nil {
			environment.Exit(1, err)
		}
	}
}

// endNS returns the time of the last message or, if messages are missing, the present. If the
// server closed early, the time of its last message is unknown: reading the clock for each message
// would slow down all trials for the sake of failed ones.
func (r *Receiver) endNS() int64 {
	isComplete := uint64(len(r.counters)) == r.settings.Connections
	var lastNS int64
	for _, counter := range r.counters {
		receivedNS := counter.receivedNS.Load()
		isComplete = isComplete && receivedNS != 0
		lastNS = max(lastNS, receivedNS)
	}
	if !isComplete {
		return r.clock()
	}
	return lastNS
}
