// Passes the messages of publishers on to subscribers, each of which has a queue and a goroutine, as
// the chat examples of the libraries do.

package kit

import "sync"

// queueLength is that of the chat example of gorilla/websocket.
const queueLength = 256

// Subscribers are the queues of all subscribers. Its zero value has none.
type Subscribers[Message any] struct {
	lock   sync.Mutex
	queues map[chan Message]struct{}
}

// Join adds a subscriber; returns its queue, which ends when it leaves or is too slow.
func (s *Subscribers[Message]) Join() chan Message {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.queues == nil {
		s.queues = make(map[chan Message]struct{})
	}
	queue := make(chan Message, queueLength)
	s.queues[queue] = struct{}{}
	return queue
}

// Leave removes a subscriber, unless it is gone.
func (s *Subscribers[Message]) Leave(queue chan Message) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.remove(queue)
}

// Send adds a message to all queues; a subscriber whose queue is full is removed.
func (s *Subscribers[Message]) Send(message Message) {
	s.lock.Lock()
	defer s.lock.Unlock()
	for queue := range s.queues {
		select {
		case queue <- message:
		default:
			s.remove(queue)
		}
	}
}

func (s *Subscribers[Message]) remove(queue chan Message) {
	if _, isJoined := s.queues[queue]; isJoined {
		delete(s.queues, queue)
		close(queue)
	}
}
