// Sends a feed to subscribers: what is sent next, when, and what was. docs/contract.md, section 8.

package serving

import (
	"fmt"
	"io"
	"iter"
	"slices"
	"sync"
	"time"

	"autostrada/kit/environment"
	"autostrada/kit/feed"
)

// Feed is one feed for one group of subscribers, from its first message to its last.
//
// Range over its messages, and hand each to all subscribers. It takes the time that the messages have
// between them.
type Feed[Subscriber comparable] struct {
	settings FeedSettings
	clock    func() int64
	output   io.Writer

	lock     sync.Mutex
	hasBegun bool
	isOver   bool
	// Is replaced, and never changed.
	subscribed []Subscriber

	startNS int64
	number  uint64
	// Whoever gets the message that was made last.
	receivers []Subscriber
	// What was handed out, and how much of it has been printed.
	messages, bytes               uint64
	printedMessages, printedBytes uint64
	second                        int64
}

func newFeed[Subscriber comparable](
	settings FeedSettings, clock func() int64, output io.Writer,
) *Feed[Subscriber] {
	return &Feed[Subscriber]{settings: settings, clock: clock, output: output}
}

// add lets a subscriber join, unless the feed is over; the last of the subscribers begins it.
func (f *Feed[Subscriber]) add(subscriber Subscriber) (isAdded, begins bool) {
	f.lock.Lock()
	defer f.lock.Unlock()
	if f.isOver {
		return false, false
	}
	f.subscribed = append(slices.Clone(f.subscribed), subscriber)
	if f.hasBegun || uint64(len(f.subscribed)) < f.settings.Subscribers {
		return true, false
	}
	f.hasBegun = true
	f.startNS = f.clock()
	return true, true
}

// remove lets a subscriber leave, if it is one.
func (f *Feed[Subscriber]) remove(subscriber Subscriber) {
	f.lock.Lock()
	defer f.lock.Unlock()
	if i := slices.Index(f.subscribed, subscriber); i >= 0 {
		f.subscribed = slices.Concat(f.subscribed[:i], f.subscribed[i+1:])
	}
}

func (f *Feed[Subscriber]) present() []Subscriber {
	f.lock.Lock()
	defer f.lock.Unlock()
	return f.subscribed
}

// IsContinuous tells whether the slowest subscriber sets the pace.
func (f *Feed[Subscriber]) IsContinuous() bool { return f.settings.Every == 0 }

// Subscribers are whoever gets the message at hand and, after the last one, whoever is left.
func (f *Feed[Subscriber]) Subscribed() []Subscriber { return f.receivers }

// Messages yields each message when it is due.
func (f *Feed[Subscriber]) Messages() iter.Seq[feed.Message] {
	return func(yield func(feed.Message) bool) {
		for wait, isOver := f.wait(); !isOver; wait, isOver = f.wait() {
			if wait > 0 {
				time.Sleep(wait)
			} else if !yield(f.nextMessage()) {
				break
			}
		}
		f.finish()
	}
}

// wait tells how long to wait, which is 0 for a message, or that all were sent and their time is over.
func (f *Feed[Subscriber]) wait() (wait time.Duration, isOver bool) {
	nowNS := f.clock()
	f.printSeconds(nowNS)
	dueNS := f.nextDueNS(nowNS)
	if (dueNS <= nowNS && !f.isLeft(dueNS)) || len(f.present()) == 0 {
		return 0, true
	}
	return time.Duration(max(0, min(dueNS, f.secondEndNS())-nowNS)), false
}

// nextDueNS tells when the next message is due, or would be: the time of the last one ends then.
func (f *Feed[Subscriber]) nextDueNS(nowNS int64) int64 {
	if f.IsContinuous() {
		return nowNS
	}
	return f.startNS + int64(f.number)*f.settings.Every.Nanoseconds()
}

func (f *Feed[Subscriber]) isLeft(dueNS int64) bool {
	return dueNS-f.startNS < f.settings.Duration.Nanoseconds() && f.number < f.settings.Messages
}

// nextMessage makes the message that is due, and counts it for each subscriber.
func (f *Feed[Subscriber]) nextMessage() feed.Message {
	stocks, err := f.settings.stocksOfMessage(f.number)
	if err != nil {
		environment.Exit(1, err)
	}
	timeNS := f.nextDueNS(f.clock())
	message := f.settings.Format.Encode(feed.Heading{Number: f.number, TimeNS: timeNS}, stocks)
	f.number++
	f.receivers = f.present()
	f.messages += uint64(len(f.receivers))
	f.bytes += uint64(len(f.receivers) * len(message.Payload))
	return message
}

// finish prints the result. Nobody can join after it.
func (f *Feed[Subscriber]) finish() {
	f.lock.Lock()
	f.isOver = true
	f.receivers = f.subscribed
	f.lock.Unlock()
	f.print(`{"event":"result","messages":%d,"bytes":%d}`, f.messages, f.bytes)
}

func (f *Feed[Subscriber]) secondEndNS() int64 {
	return f.startNS + (f.second+1)*time.Second.Nanoseconds()
}

func (f *Feed[Subscriber]) printSeconds(untilNS int64) {
	for untilNS >= f.secondEndNS() {
		f.print(`{"event":"second","second":%d,"messages":%d,"bytes":%d}`,
			f.second, f.messages-f.printedMessages, f.bytes-f.printedBytes)
		f.second++
		f.printedMessages, f.printedBytes = f.messages, f.bytes
	}
}

func (f *Feed[Subscriber]) print(format string, values ...any) {
	if _, err := fmt.Fprintf(f.output, format+"\n", values...); err != nil {
		environment.Exit(1, err)
	}
}
