# Latencies as counts of rounded nanoseconds: docs/contract.md, clause 7.5.

module AutostradaKit
  # Number of messages per rounded latency.
  class Latencies
    attr_reader :counts

    # Rounds to three significant digits; a half is rounded up.
    def self.round(latency_ns)
      return latency_ns if latency_ns < 1000

      unit = 10**(latency_ns.digits.size - 3)
      (latency_ns + unit / 2) / unit * unit
    end

    def initialize
      @counts = Hash.new(0)
    end

    # Counts one latency in nanoseconds, which must not be negative.
    def record(latency_ns)
      @counts[Latencies.round(latency_ns)] += 1
    end

    # Adds the counts of another object.
    def merge(other)
      @counts.merge!(other.counts) { |_, mine, more| mine + more }
      self
    end
  end
end
