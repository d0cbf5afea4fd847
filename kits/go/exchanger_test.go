package kit

import (
	"strings"
	"testing"
	"time"
)

const (
	openedAt = 81 * time.Second
	warmUp   = 500 * time.Millisecond
	windowAt = openedAt + warmUp
	window   = 2 * time.Second
)

// exchangeBench is an exchanger with a manual clock.
type exchangeBench struct {
	*Exchanger
	now    time.Duration
	output strings.Builder
}

func newExchangeBench(connections uint64) *exchangeBench {
	bench := &exchangeBench{now: openedAt}
	settings := EchoSettings{Connections: connections, Payload: "grüezi", WarmUp: warmUp, Window: window}
	clock := func() int64 { return bench.now.Nanoseconds() }
	bench.Exchanger = newExchanger(settings, clock, &bench.output)
	return bench
}

func (b *exchangeBench) answerAt(now time.Duration, answer string) bool {
	b.now = now
	return b.Answered(true, []byte(answer))
}

func (b *exchangeBench) expect(t *testing.T, echoed, wrong uint64) {
	t.Helper()
	if b.echoed.Load() != echoed || b.wrong.Load() != wrong {
		t.Fatalf("got %d echoed, %d wrong; want %d, %d",
			b.echoed.Load(), b.wrong.Load(), echoed, wrong)
	}
}

func TestCountsWhatComesWithinTheWindowAndEndsAfterIt(t *testing.T) {
	for _, want := range []struct {
		at        time.Duration
		echoed    uint64
		isOngoing bool
	}{
		{openedAt, 0, true},
		{windowAt - 1, 0, true},
		{windowAt, 1, true},
		{windowAt + window - 1, 1, true},
		{windowAt + window, 0, false},
	} {
		bench := newExchangeBench(1)
		bench.Opened()
		if isOngoing := bench.answerAt(want.at, "grüezi"); isOngoing != want.isOngoing {
			t.Errorf("at %v: got %t", want.at, isOngoing)
		}
		bench.expect(t, want.echoed, 0)
	}
}

func TestAnotherContentOrTypeIsWrongAndNotEchoed(t *testing.T) {
	for _, answer := range []string{"", "grüezj", "grüezi "} {
		bench := newExchangeBench(1)
		bench.Opened()
		if !bench.answerAt(windowAt, answer) {
			t.Errorf("%q: does not go on", answer)
		}
		bench.expect(t, 0, 1)
	}
	bench := newExchangeBench(1)
	bench.Opened()
	bench.now = windowAt
	bench.Answered(false, []byte("grüezi"))
	bench.expect(t, 0, 1)
}

func TestAWrongAnswerIsCountedWheneverItComes(t *testing.T) {
	bench := newExchangeBench(1)
	bench.Opened()
	bench.answerAt(openedAt, "other")
	if bench.answerAt(windowAt+window, "other") {
		t.Error("goes on after the window")
	}
	bench.expect(t, 0, 2)
}

func TestTheWarmUpBeginsWhenTheLastConnectionIsOpen(t *testing.T) {
	bench := newExchangeBench(2)
	bench.Opened()
	late := openedAt + 10*window
	if !bench.answerAt(late, "grüezi") {
		t.Fatal("ends before all are open")
	}
	bench.Opened()
	bench.answerAt(late+warmUp-1, "grüezi")
	bench.answerAt(late+warmUp, "grüezi")
	bench.answerAt(late+warmUp, "grüezi")
	bench.expect(t, 2, 0)
}

func TestTheResultOfAnExchangeIsTheLineOfTheContract(t *testing.T) {
	bench := newExchangeBench(2)
	bench.Opened()
	bench.Opened()
	bench.answerAt(windowAt, "grüezi")
	bench.answerAt(windowAt, "other")
	bench.PrintResult()
	want := `{"event":"result","connections":2,"echoed":1,"wrong":1,"window_ns":2000000000}` + "\n"
	if bench.output.String() != want {
		t.Fatalf("got %s", bench.output.String())
	}
}
