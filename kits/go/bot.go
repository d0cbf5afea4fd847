// One connection's events. Its sender and its receiver are two goroutines.

package kit

import (
	"strconv"
	"sync"
	"time"

	"autostrada/kit/feed"
)

// Bot is one connection's events.
type Bot struct {
	bots       *Bots
	connection uint64
	// Is closed when the last event is answered.
	answered chan struct{}
	// Has the error with which the connection has ended.
	ended chan error

	lock sync.Mutex
	sent uint64
	// The number of the first event that is not answered.
	unanswered   uint64
	hasSentAll   bool
	sentInWindow uint64
	wrong        uint64
	latencies    feed.Latencies
}

func newBot(bots *Bots, connection uint64) *Bot {
	return &Bot{
		bots:       bots,
		connection: connection,
		answered:   make(chan struct{}),
		ended:      make(chan error, 1),
		latencies:  feed.Latencies{},
	}
}

// SendWhenDue sends all events, and returns when the connection is to be closed, or with the error
// with which it has ended early. Answers are to be given to Answered meanwhile.
func (b *Bot) SendWhenDue(send func(event []byte) error) error {
	if err := b.waitForBegin(); err != nil {
		return err
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	for dueNS, isLeft := b.nextDueNS(); isLeft; dueNS, isLeft = b.nextDueNS() {
		timer.Reset(time.Duration(dueNS - b.bots.clock()))
		select {
		case err := <-b.ended:
			return err
		case <-timer.C:
		}
		if err := send(b.nextEvent()); err != nil {
			return err
		}
	}
	timer.Reset(time.Duration(b.bots.leftNS - b.bots.clock()))
	select {
	case err := <-b.ended:
		return err
	case <-b.answered:
	case <-timer.C:
	}
	return nil
}

func (b *Bot) waitForBegin() error {
	select {
	case err := <-b.ended:
		return err
	case <-b.bots.begun:
		return nil
	}
}

// nextDueNS tells when the next event is due, if there is one.
func (b *Bot) nextDueNS() (dueNS int64, isLeft bool) {
	b.lock.Lock()
	defer b.lock.Unlock()
	dueNS = b.bots.dueNS(b.connection, b.sent)
	b.hasSentAll = dueNS >= b.bots.endNS
	b.closeIfAnswered()
	return dueNS, !b.hasSentAll
}

// nextEvent returns the text that is to be sent now.
func (b *Bot) nextEvent() []byte {
	b.lock.Lock()
	defer b.lock.Unlock()
	event := b.sent
	dueNS := b.bots.dueNS(b.connection, event)
	b.sent++
	if b.bots.isInWindow(dueNS) {
		b.sentInWindow++
	}
	return []byte(stamp(event, dueNS, b.bots.settings.Payload))
}

// Answered judges an answer.
func (b *Bot) Answered(isText bool, answer []byte) {
	nowNS := b.bots.clock()
	b.lock.Lock()
	defer b.lock.Unlock()
	event, isExpected := b.eventOf(answer)
	if !isText || !isExpected {
		b.wrong++
		return
	}
	b.unanswered = event + 1
	if dueNS := b.bots.dueNS(b.connection, event); b.bots.isInWindow(dueNS) {
		b.latencies.Record(nowNS - dueNS)
	}
	b.closeIfAnswered()
}

// eventOf tells which event an answer is equal to, if it is one that may come.
func (b *Bot) eventOf(answer []byte) (event uint64, isExpected bool) {
	if len(answer) < 20 {
		return 0, false
	}
	event, err := strconv.ParseUint(string(answer[:20]), 10, 64)
	if err != nil || event < b.unanswered || event >= b.sent {
		return 0, false
	}
	dueNS := b.bots.dueNS(b.connection, event)
	return event, string(answer) == stamp(event, dueNS, b.bots.settings.Payload)
}

func (b *Bot) closeIfAnswered() {
	if !b.hasSentAll || b.unanswered < b.sent {
		return
	}
	select {
	case <-b.answered:
	default:
		close(b.answered)
	}
}

// Ended is to be called when the connection has ended, whether early or not.
func (b *Bot) Ended(err error) {
	select {
	case b.ended <- err:
	default:
	}
}
