// Checks the order of the sequence numbers of a connection: docs/contract.md, clause 7.3.

package feed

const (
	remembered = 128
	gapMax     = 1 << 32
)

// Verdict is the classification of a number.
type Verdict string

// The verdicts, as the contract names them.
const (
	InOrder    Verdict = "in_order"
	Gap        Verdict = "gap"
	Duplicate  Verdict = "duplicate"
	Reordered  Verdict = "reordered"
	Unexpected Verdict = "unexpected"
)

// SequenceCounts are the number of messages per verdict, and the number of missing numbers.
type SequenceCounts struct {
	InOrder    uint64 `json:"in_order"`
	Gaps       uint64 `json:"gaps"`
	Missing    uint64 `json:"missing"`
	Duplicates uint64 `json:"duplicates"`
	Reordered  uint64 `json:"reordered"`
	Unexpected uint64 `json:"unexpected"`
}

// Add adds the counts of another connection.
func (c *SequenceCounts) Add(other SequenceCounts) {
	c.InOrder += other.InOrder
	c.Gaps += other.Gaps
	c.Missing += other.Missing
	c.Duplicates += other.Duplicates
	c.Reordered += other.Reordered
	c.Unexpected += other.Unexpected
}

// Sequence checks the sequence numbers of one connection.
type Sequence struct {
	Counts SequenceCounts

	hasBegun    bool
	first, next uint64
	// For the 128 numbers before next, at index n modulo 128: whether number n has not arrived.
	// Numbers before the first one count as arrived.
	isMissing    [remembered]bool
	hasForgotten bool
}

// Check classifies a number and counts the verdict.
func (s *Sequence) Check(number uint64) Verdict {
	if !s.hasBegun {
		s.hasBegun, s.first, s.next = true, number, number
	}
	verdict := s.judge(number)
	switch verdict {
	case InOrder:
		s.Counts.InOrder++
		s.advance(number)
	case Gap:
		s.Counts.Gaps++
		s.Counts.Missing += number - s.next
		s.advance(number)
	case Reordered:
		s.Counts.Reordered++
		s.Counts.Missing--
		s.isMissing[number%remembered] = false
	case Duplicate:
		s.Counts.Duplicates++
	case Unexpected:
		s.Counts.Unexpected++
	}
	return verdict
}

func (s *Sequence) judge(number uint64) Verdict {
	switch {
	case number == s.next:
		return InOrder
	case number > s.next+gapMax || number < s.first:
		return Unexpected
	case number > s.next:
		return Gap
	case s.next-number <= remembered && s.isMissing[number%remembered]:
		return Reordered
	case s.next-number > remembered && s.hasForgotten:
		return Unexpected
	}
	return Duplicate
}

// advance moves on to a number that has arrived.
func (s *Sequence) advance(number uint64) {
	// A gap larger than the memory overwrites all of it.
	skipped := min(number-s.next, remembered)
	s.hasForgotten = s.hasForgotten || number-s.next >= remembered
	for earlier := number - skipped; earlier < number; earlier++ {
		s.remember(earlier, true)
	}
	s.remember(number, false)
	s.next = number + 1
}

// remember overwrites the entry of the number 128 before.
func (s *Sequence) remember(number uint64, isMissing bool) {
	place := &s.isMissing[number%remembered]
	s.hasForgotten = s.hasForgotten || *place
	*place = isMissing
}
