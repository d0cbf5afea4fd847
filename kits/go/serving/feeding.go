// Feeds an audience: what is sent next, when, and what was. docs/contract.md, section 8.

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

// Feed is one feed for one audience, from its first message to its last.
//
// Range over its messages, and hand each to all members. It takes the time that the messages have
// between them.
type Feed[Member comparable] struct {
	settings FeedSettings
	clock    func() int64
	output   io.Writer

	lock     sync.Mutex
	hasBegun bool
	isOver   bool
	// Is replaced, and never changed.
	members []Member

	startNS int64
	number  uint64
	// Whoever gets the message that was made last.
	receivers []Member
	// What was handed out, and how much of it has been printed.
	messages, bytes               uint64
	printedMessages, printedBytes uint64
	second                        int64
}

func newFeed[Member comparable](
	settings FeedSettings, clock func() int64, output io.Writer,
) *Feed[Member] {
	return &Feed[Member]{settings: settings, clock: clock, output: output}
}

// add lets a member join, unless the feed is over; the last of the audience begins it.
func (f *Feed[Member]) add(member Member) (isAdded, begins bool) {
	f.lock.Lock()
	defer f.lock.Unlock()
	if f.isOver {
		return false, false
	}
	f.members = append(slices.Clone(f.members), member)
	if f.hasBegun || uint64(len(f.members)) < f.settings.Audience {
		return true, false
	}
	f.hasBegun = true
	f.startNS = f.clock()
	return true, true
}

// remove lets a member leave, if it is one.
func (f *Feed[Member]) remove(member Member) {
	f.lock.Lock()
	defer f.lock.Unlock()
	if i := slices.Index(f.members, member); i >= 0 {
		f.members = slices.Concat(f.members[:i], f.members[i+1:])
	}
}

func (f *Feed[Member]) present() []Member {
	f.lock.Lock()
	defer f.lock.Unlock()
	return f.members
}

// IsContinuous tells whether the slowest member sets the pace.
func (f *Feed[Member]) IsContinuous() bool { return f.settings.Every == 0 }

// Members are whoever gets the message at hand and, after the last one, whoever is left.
func (f *Feed[Member]) Members() []Member { return f.receivers }

// Messages yields each message when it is due.
func (f *Feed[Member]) Messages() iter.Seq[feed.Message] {
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
func (f *Feed[Member]) wait() (wait time.Duration, isOver bool) {
	nowNS := f.clock()
	f.printSeconds(nowNS)
	dueNS := f.nextDueNS(nowNS)
	if (dueNS <= nowNS && !f.isLeft(dueNS)) || len(f.present()) == 0 {
		return 0, true
	}
	return time.Duration(max(0, min(dueNS, f.secondEndNS())-nowNS)), false
}

// nextDueNS tells when the next message is due, or would be: the time of the last one ends then.
func (f *Feed[Member]) nextDueNS(nowNS int64) int64 {
	if f.IsContinuous() {
		return nowNS
	}
	return f.startNS + int64(f.number)*f.settings.Every.Nanoseconds()
}

func (f *Feed[Member]) isLeft(dueNS int64) bool {
	return dueNS-f.startNS < f.settings.Duration.Nanoseconds() && f.number < f.settings.Messages
}

// nextMessage makes the message that is due, and counts it for each member.
func (f *Feed[Member]) nextMessage() feed.Message {
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
func (f *Feed[Member]) finish() {
	f.lock.Lock()
	f.isOver = true
	f.receivers = f.members
	f.lock.Unlock()
	f.print(`{"event":"result","messages":%d,"bytes":%d}`, f.messages, f.bytes)
}

func (f *Feed[Member]) secondEndNS() int64 {
	return f.startNS + (f.second+1)*time.Second.Nanoseconds()
}

func (f *Feed[Member]) printSeconds(untilNS int64) {
	for untilNS >= f.secondEndNS() {
		f.print(`{"event":"second","second":%d,"messages":%d,"bytes":%d}`,
			f.second, f.messages-f.printedMessages, f.bytes-f.printedBytes)
		f.second++
		f.printedMessages, f.printedBytes = f.messages, f.bytes
	}
}

func (f *Feed[Member]) print(format string, values ...any) {
	if _, err := fmt.Fprintf(f.output, format+"\n", values...); err != nil {
		environment.Exit(1, err)
	}
}
