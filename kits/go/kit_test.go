package kit

import "testing"

func TestAMessageReachesAllSubscribersThatAreNotTooSlow(t *testing.T) {
	var subscribers Subscribers[int]
	slow, left := subscribers.Join(), subscribers.Join()
	subscribers.Leave(left)
	if _, isOpen := <-left; isOpen {
		t.Error("a subscriber that has left gets a message")
	}
	for number := range queueLength + 1 {
		subscribers.Send(number)
	}
	received := 0
	for range slow {
		received++
	}
	if received != queueLength || len(subscribers.queues) != 0 {
		t.Errorf("got %d, %d left", received, len(subscribers.queues))
	}
}
