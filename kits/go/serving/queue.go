// Subscribers that each have a goroutine and a queue.

package serving

import (
	"iter"
	"sync"

	"autostrada/kit/environment"
	"autostrada/kit/feed"
)

// Number of messages of a continuous feed that may wait for a subscriber's goroutine.
const queueLength = 16

// QueuedSubscribers are for libraries whose write calls block until the message was sent.
type QueuedSubscribers[Message any] struct {
	subscribers *Subscribers[*Queue[Message]]
}

// NewQueuedSubscribers returns subscribers. Each message is prepared once for all of them.
func NewQueuedSubscribers[Message any](
	settings FeedSettings, prepare func(feed.Message) (Message, error),
) *QueuedSubscribers[Message] {
	return &QueuedSubscribers[Message]{NewSubscribers(settings, func(feed *Feed[*Queue[Message]]) {
		for message := range feed.Messages() {
			prepared, err := prepare(message)
			if err != nil {
				environment.Exit(1, err) // A feed that has stopped must not look like a slow one.
			}
			for _, queue := range feed.Subscribed() {
				queue.put(prepared)
			}
		}
		for _, queue := range feed.Subscribed() {
			queue.end()
		}
	})}
}

// Join adds a subscriber and returns its queue.
func (a *QueuedSubscribers[Message]) Join() *Queue[Message] {
	lengthMax := 0
	if a.subscribers.settings.Every == 0 {
		lengthMax = queueLength
	}
	queue := newQueue[Message](lengthMax)
	queue.leave = func() { a.subscribers.Leave(queue) }
	a.subscribers.Join(queue)
	return queue
}

// Queue is a subscriber and the messages that wait for it.
type Queue[Message any] struct {
	leave func()
	// 0: unlimited.
	lengthMax int

	lock    sync.Mutex
	changed *sync.Cond
	waiting []Message
	// hasEnded: the feed is over. isGone: the subscriber has left.
	hasEnded, isGone bool
}

func newQueue[Message any](lengthMax int) *Queue[Message] {
	queue := &Queue[Message]{lengthMax: lengthMax}
	queue.changed = sync.NewCond(&queue.lock)
	return queue
}

// Messages yields each message when it is due, until the feed ends or the subscriber leaves.
func (q *Queue[Message]) Messages() iter.Seq[Message] {
	return func(yield func(Message) bool) {
		for message, hasMessage := q.take(); hasMessage; message, hasMessage = q.take() {
			if !yield(message) {
				return
			}
		}
	}
}

// Leave must be called when the subscriber is gone. The feed does not wait for it any more.
func (q *Queue[Message]) Leave() {
	q.leave()
	q.lock.Lock()
	defer q.lock.Unlock()
	q.isGone = true
	q.waiting = nil
	q.changed.Broadcast()
}

// put adds a message as soon as there is room.
func (q *Queue[Message]) put(message Message) {
	q.lock.Lock()
	defer q.lock.Unlock()
	for q.lengthMax > 0 && len(q.waiting) >= q.lengthMax && !q.isGone {
		q.changed.Wait()
	}
	if !q.isGone {
		q.waiting = append(q.waiting, message)
		q.changed.Broadcast()
	}
}

// end marks the end of the feed.
func (q *Queue[Message]) end() {
	q.lock.Lock()
	defer q.lock.Unlock()
	q.hasEnded = true
	q.changed.Broadcast()
}

// take waits for the next message; isOne is false if there are no more.
func (q *Queue[Message]) take() (message Message, hasMessage bool) {
	q.lock.Lock()
	defer q.lock.Unlock()
	for len(q.waiting) == 0 && !q.hasEnded && !q.isGone {
		q.changed.Wait()
	}
	if len(q.waiting) == 0 {
		return message, false
	}
	message = q.waiting[0]
	var none Message
	q.waiting[0] = none // Releases its payload.
	q.waiting = q.waiting[1:]
	q.changed.Broadcast()
	return message, true
}
