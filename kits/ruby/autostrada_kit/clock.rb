# Time: the clock, and the timers of EventMachine.

module AutostradaKit
  SECOND_NS = 1_000_000_000
  MILLISECOND_NS = 1_000_000

  # Returns the instant in nanoseconds.
  CLOCK = -> { Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond) }

  # Calls a block after so many nanoseconds.
  LATER = lambda do |left_ns, &continue|
    # Timers have whole milliseconds, cut off. Rounded up: one that fires too early would fire twice.
    EventMachine.add_timer((left_ns / MILLISECOND_NS + 1.5) / 1000, &continue)
  end

  # Calls a block when others have had their turn.
  SOON = ->(&continue) { EventMachine.next_tick(&continue) }
end
