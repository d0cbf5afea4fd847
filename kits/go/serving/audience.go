// Who gets a feed, and when it begins: docs/contract.md, clauses 8.5 and 8.8.

package serving

import (
	"io"
	"os"
	"sync"

	"autostrada/kit/clock"
)

// Audience is those who have joined, and their feed; one audience after another.
type Audience[Member comparable] struct {
	settings FeedSettings
	clock    func() int64
	output   io.Writer
	publish  func(*Feed[Member])

	lock sync.Mutex
	// The feed that is on, or will be.
	feed *Feed[Member]
}

// NewAudience makes an audience. As soon as all are there, publish is called in a goroutine: it
// must hand each message to the members, and close them in the end.
func NewAudience[Member comparable](
	settings FeedSettings, publish func(*Feed[Member]),
) *Audience[Member] {
	return newAudience(settings, clock.NowNS, os.Stdout, publish)
}

func newAudience[Member comparable](
	settings FeedSettings, clock func() int64, output io.Writer, publish func(*Feed[Member]),
) *Audience[Member] {
	return &Audience[Member]{
		settings: settings,
		clock:    clock,
		output:   output,
		publish:  publish,
		feed:     newFeed[Member](settings, clock, output),
	}
}

// Join adds a member.
func (a *Audience[Member]) Join(member Member) {
	a.lock.Lock()
	defer a.lock.Unlock()
	isAdded, begins := a.feed.add(member)
	if !isAdded {
		a.feed = newFeed[Member](a.settings, a.clock, a.output)
		_, begins = a.feed.add(member)
	}
	if begins {
		go a.publish(a.feed)
	}
}

// Leave removes a member that is gone.
func (a *Audience[Member]) Leave(member Member) {
	a.lock.Lock()
	defer a.lock.Unlock()
	a.feed.remove(member)
}
