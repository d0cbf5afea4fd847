// Latencies as counts of rounded nanoseconds: docs/contract.md, clause 7.5.

package feed

// Latencies say how often each rounded latency came, as a line of JSON has it.
type Latencies map[uint64]uint64

// Record counts one, which must not be below 0.
func (l Latencies) Record(latencyNS int64) { l[RoundLatency(uint64(latencyNS))]++ }

// Merge adds what others have counted.
func (l Latencies) Merge(others Latencies) {
	for latencyNS, count := range others {
		l[latencyNS] += count
	}
}

// Total is how many were counted.
func (l Latencies) Total() uint64 {
	var total uint64
	for _, count := range l {
		total += count
	}
	return total
}

// RoundLatency keeps three significant digits, and rounds a half up.
func RoundLatency(latencyNS uint64) uint64 {
	unit := uint64(1)
	for latencyNS/unit >= 1_000 {
		unit *= 10
	}
	return (latencyNS + unit/2) / unit * unit
}
