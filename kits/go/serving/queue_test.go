package serving

import (
	"errors"
	"slices"
	"testing"
	"time"

	"autostrada/kit/feed"
)

func prepare(message feed.Message) (string, error) {
	if !message.IsText {
		return "", errors.New("not a text")
	}
	return string(message.Payload), nil
}

func TestASubscriberGetsAllMessagesToTheEndOfTheFeed(t *testing.T) {
	for _, every := range []time.Duration{0, 1} {
		settings := settingsOf("sequence")
		settings.Subscribers, settings.Messages, settings.Every = 2, 100, every
		subscribers := NewQueuedSubscribers(settings, prepare)
		got := make(chan []string)
		for range settings.Subscribers {
			queue := subscribers.Join()
			go func() { got <- slices.Collect(queue.Messages()) }()
		}
		for range settings.Subscribers {
			messages := <-got
			if len(messages) != 100 || messages[0] != "0" || messages[99] != "99" {
				t.Errorf("every %v: got %v", every, messages)
			}
		}
	}
}

func TestTheFeedWaitsForRoomAndNotForWhoHasLeft(t *testing.T) {
	settings := settingsOf("sequence")
	settings.Subscribers, settings.Messages = 2, 100
	subscribers := NewQueuedSubscribers(settings, prepare)
	slow, fast := subscribers.Join(), subscribers.Join()
	var got []string
	for message := range fast.Messages() {
		got = append(got, message)
		if message == "0" {
			// It has received only as many messages as fit into the slow one's queue; then it receives the
			// rest.
			slow.Leave()
		}
	}
	if len(got) != 100 {
		t.Errorf("got %v", got)
	}
	if rest := slices.Collect(slow.Messages()); len(rest) != 0 {
		t.Errorf("who has left gets %v", rest)
	}
}

func TestAQueueHoldsAsManyAsHaveRoom(t *testing.T) {
	queue := newQueue[int](2)
	done := make(chan struct{})
	go func() {
		for number := range 5 {
			queue.put(number)
		}
		queue.end()
		close(done)
	}()
	for want := range 5 {
		if number, hasMessage := queue.take(); !hasMessage || number != want {
			t.Errorf("got %d, %t", number, hasMessage)
		}
		queue.lock.Lock()
		if len(queue.waiting) > 2 {
			t.Errorf("%d wait", len(queue.waiting))
		}
		queue.lock.Unlock()
	}
	<-done
	if _, hasMessage := queue.take(); hasMessage {
		t.Error("there is one after the end")
	}
}

func TestWithoutALimitNobodyWaits(t *testing.T) {
	queue := newQueue[int](0)
	for number := range 1_000 {
		queue.put(number)
	}
	queue.end()
	if got := slices.Collect(queue.Messages()); len(got) != 1_000 || got[999] != 999 {
		t.Errorf("got %v", got)
	}
}
