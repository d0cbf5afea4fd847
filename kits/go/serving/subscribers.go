// Who gets a feed, and when it begins: docs/contract.md, clauses 8.5 and 8.8.

package serving

import (
	"io"
	"os"
	"sync"

	"autostrada/kit/clock"
)

// Subscribers are those who have joined, and their feed; one group of subscribers after another.
type Subscribers[Subscriber comparable] struct {
	settings FeedSettings
	clock    func() int64
	output   io.Writer
	publish  func(*Feed[Subscriber])

	lock sync.Mutex
	// The feed that is on, or will be.
	feed *Feed[Subscriber]
}

// NewSubscribers makes subscribers. As soon as all are there, publish is called in a goroutine: it
// must hand each message to the subscribers, and close them in the end.
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

// Join adds a subscriber.
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
