# The clock, and timers of EventMachine.

module AutostradaKit
  SECOND_NS = 1_000_000_000
  MILLISECOND_NS = 1_000_000

  # Returns the time of the monotonic clock, in nanoseconds.
  CLOCK = -> { Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond) }

  # Calls a block after a number of nanoseconds.
  LATER = lambda do |left_ns, &continue|
    # Timers truncate to milliseconds. Rounded up, because one that fires too early would fire
    # twice.
    EventMachine.add_timer((left_ns / MILLISECOND_NS + 1.5) / 1000, &continue)
  end

  # Calls a block after the event loop has run its other callbacks.
  SOON = ->(&continue) { EventMachine.next_tick(&continue) }
end
