// Sends a feed to subscribers on schedule: docs/contract.md, section 8.

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
// Range over its messages and send each to all subscribers. The iteration waits until each message
// is due.
type Feed[Subscriber comparable] struct {
	settings FeedSettings
	clock    func() int64
	output   io.Writer

	lock     sync.Mutex
	hasBegun bool
	isOver   bool
	// Replaced on each change, never modified, so that it can be read without the lock.
	subscribed []Subscriber

	startNS int64
	number  uint64
	// Recipients of the last message.
	receivers []Subscriber
	// Sent messages and bytes, and those of them that were printed.
	messages, bytes               uint64
	printedMessages, printedBytes uint64
	second                        int64
}

func newFeed[Subscriber comparable](
	settings FeedSettings, clock func() int64, output io.Writer,
) *Feed[Subscriber] {
	return &Feed[Subscriber]{settings: settings, clock: clock, output: output}
}

// add adds a subscriber, unless the feed is over. The last expected one starts the feed.
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

// remove removes a subscriber; it ignores a connection that is none.
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

// IsContinuous reports whether the feed has no schedule, so that the slowest subscriber limits the
// send rate.
func (f *Feed[Subscriber]) IsContinuous() bool { return f.settings.Every == 0 }

// Subscribed returns the recipients of the current message or, after the last one, the remaining
// subscribers.
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

// wait returns how long to wait (0: a message is due), and whether the feed is over.
func (f *Feed[Subscriber]) wait() (wait time.Duration, isOver bool) {
	nowNS := f.clock()
	f.printSeconds(nowNS)
	dueNS := f.nextDueNS(nowNS)
	if (dueNS <= nowNS && !f.isLeft(dueNS)) || len(f.present()) == 0 {
		return 0, true
	}
	return time.Duration(max(0, min(dueNS, f.secondEndNS())-nowNS)), false
}

// nextDueNS returns when the next message is due. After the last message, this is when the feed
// ends.
func (f *Feed[Subscriber]) nextDueNS(nowNS int64) int64 {
	if f.IsContinuous() {
		return nowNS
	}
	return f.startNS + int64(f.number)*f.settings.Every.Nanoseconds()
}

func (f *Feed[Subscriber]) isLeft(dueNS int64) bool {
	return dueNS-f.startNS < f.settings.Duration.Nanoseconds() && f.number < f.settings.Messages
}

// nextMessage returns the message that is due and counts it once per subscriber.
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
