// What the messages of a feed are found to be: docs/contract.md, clauses 7.2 to 7.6.

package feed

// Checker judges the messages of one connection.
type Checker struct {
	format    Format
	sequence  Sequence
	latencies Latencies
	wrong     uint64
}

// NewChecker makes one that has seen nothing.
func NewChecker(format Format) *Checker {
	return &Checker{format: format, latencies: Latencies{}}
}

// Check judges a message that the library has delivered now.
func (c *Checker) Check(message Message, clock func() int64) {
	var latencyNS int64
	heading, isRight := c.format.Decode(message)
	if isRight && c.format.HasInstant() {
		latencyNS = clock() - heading.TimeNS
	}
	if !isRight || latencyNS < 0 {
		c.wrong++
		return
	}
	if c.format.HasInstant() {
		c.latencies.Record(latencyNS)
	}
	if c.format.HasNumber() {
		c.sequence.Check(heading.Number)
	}
}

// Findings are the keys that a result has more with a feed. Nil is null: it does not apply.
type Findings struct {
	Wrong     uint64          `json:"wrong"`
	Sequence  *SequenceCounts `json:"sequence"`
	LatencyNS Latencies       `json:"latency_ns"`
}

// NewFindings makes those of a feed of which nothing has been received.
func NewFindings(format Format) *Findings {
	findings := &Findings{}
	if format.HasNumber() {
		findings.Sequence = &SequenceCounts{}
	}
	if format.HasInstant() {
		findings.LatencyNS = Latencies{}
	}
	return findings
}

// Add adds what was found on one connection.
func (f *Findings) Add(checker *Checker) {
	f.Wrong += checker.wrong
	if f.Sequence != nil {
		f.Sequence.Add(checker.sequence.Counts)
	}
	if f.LatencyNS != nil {
		f.LatencyNS.Merge(checker.latencies)
	}
}
