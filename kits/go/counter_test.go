package kit

import "testing"

func payloadOf(bytes int) []byte { return make([]byte, bytes) }

func TestReturnsTrueWhenAllAreCountedAndCountsNoMore(t *testing.T) {
	counter := Counter{expected: 3, clock: func() int64 { return 99 }}
	for _, want := range []bool{false, false, true, true} {
		if isAll := counter.Received(true, payloadOf(11)); isAll != want {
			t.Fatalf("after %d messages: got %t", counter.messages, isAll)
		}
	}
	if counter.messages != 3 || counter.bytes != 33 || counter.receivedNS.Load() != 99 {
		t.Fatalf("got %+v", &counter)
	}
}

func TestTheClockIsReadOnlyForTheLastMessage(t *testing.T) {
	counter := Counter{expected: 2, clock: func() int64 { t.Fatal("read"); return 0 }}
	counter.Received(true, payloadOf(11))
}

func TestPublishedCountsMayWrapAround(t *testing.T) {
	counter := Counter{expected: 1 << 62, messages: 1<<28 - 1, bytes: 1<<36 - 5}
	counter.Received(true, payloadOf(0))
	counter.messages, counter.bytes = 1<<28-2, 1<<36-5
	counter.Received(true, payloadOf(0))
	earlier := counter.published.Load()
	counter.Received(true, payloadOf(11))
	counter.Received(true, payloadOf(12))
	later := counter.published.Load()
	if got, want := difference(earlier, later), (totals{messages: 2, bytes: 23}); got != want {
		t.Fatalf("got %+v, want %+v", got, want)
	}
}
