// Collects subscribers and starts a feed once all have joined: docs/contract.md, clauses 8.5 and
// 8.8.

package serving

import (
	"io"
	"os"
	"sync"

	"autostrada/kit/clock"
)

// Subscribers are the subscribers and their feed; they serve one group of subscribers after the
// other.
type Subscribers[Subscriber comparable] struct {
	settings FeedSettings
	clock    func() int64
	output   io.Writer
	publish  func(*Feed[Subscriber])

	lock sync.Mutex
	// The current or the next feed.
	feed *Feed[Subscriber]
}

// NewSubscribers returns subscribers. Once all have joined, publish is called in a goroutine: it
// must send each message to the subscribers and close them at the end.
func NewSubscribers[Subscriber comparable](
	settings FeedSettings, publish func(*Feed[Subscriber]),
) *Subscribers[Subscriber] {
	return newSubscribers(settings, clock.NowNS, os.Stdout, publish)
}

func newSubscribers[Subscriber comparable](
	settings FeedSettings, clock func() int64, output io.Writer, publish func(*Feed[Subscriber]),
) *Subscribers[Subscriber] {
	return &Subscribers[Subscriber]{
		settings: settings,
		clock:    clock,
		output:   output,
		publish:  publish,
		feed:     newFeed[Subscriber](settings, clock, output),
	}
}

// Join adds a subscriber; the last expected one starts the feed.
func (a *Subscribers[Subscriber]) Join(subscriber Subscriber) {
	a.lock.Lock()
	defer a.lock.Unlock()
	isAdded, begins := a.feed.add(subscriber)
	if !isAdded {
		a.feed = newFeed[Subscriber](a.settings, a.clock, a.output)
		_, begins = a.feed.add(subscriber)
	}
	if begins {
		go a.publish(a.feed)
	}
}

// Leave removes a subscriber that is gone.
func (a *Subscribers[Subscriber]) Leave(subscriber Subscriber) {
	a.lock.Lock()
	defer a.lock.Unlock()
	a.feed.remove(subscriber)
}
