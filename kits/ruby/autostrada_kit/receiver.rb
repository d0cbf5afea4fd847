# Counts what a client receives and prints its lines: docs/contract.md, sections 3, 4 and 7.

require "json"

require_relative "clock"
require_relative "ending"
require_relative "feed"
require_relative "latency"
require_relative "sequence"
require_relative "settings"

module AutostradaKit
  # What one connection has received.
  class ReceivingConnection
    attr_reader :messages, :bytes

    # When the last message wanted came. The others are not timed: asking the clock costs more than
    # the rest of the counting.
    attr_reader :received_ns

    def initialize(wanted, clock)
      @wanted = wanted
      @clock = clock
      @messages = @bytes = 0
      @received_ns = nil
    end

    # Counts one message; returns true when that is all that was wanted.
    def received(message)
      # A library may deliver more while the connection closes. That is not counted.
      return true if @messages == @wanted

      @messages += 1
      @bytes += message.is_a?(String) ? message.bytesize : message.size
      return false if @messages < @wanted

      @received_ns = @clock.call
      true
    end
  end

  # What one connection has received of a feed.
  class CheckedConnection < ReceivingConnection
    attr_reader :sequence, :latencies, :wrong

    def initialize(wanted, clock, feed)
      super(wanted, clock)
      @feed = feed
      @sequence = Sequence.new
      @latencies = Latencies.new
      @wrong = 0
    end

    # Checks and counts one message; returns true when that is all that was wanted.
    def received(message)
      check(message) unless @received_ns
      super
    end

    private

    def check(message)
      heading = @feed.decode(message)
      if heading.time_ns
        latency_ns = @clock.call - heading.time_ns
        raise WrongMessageError if latency_ns.negative?

        @latencies.record(latency_ns)
      end
      @sequence.check(heading.number) if heading.number
    rescue WrongMessageError
      @wrong += 1
    end
  end

  # A client's counts and lines.
  #
  # Call +opened+ for each connection, +received+ of what it returns for each message, and +finish+
  # when all connections are closed; or +fail+ when one cannot be opened.
  class Receiver
    attr_reader :url, :connections

    def initialize(settings, to_line:, clock:, later:, output:)
      @url = settings.url
      @connections = settings.connections
      @wanted = settings.messages
      @feed = settings.feed
      @to_line = to_line
      @clock = clock
      @later = later
      @output = output
      @opened = []
      @opened_ns = nil
      @is_finished = false
      # What the lines printed so far say.
      @seconds = @printed_messages = @printed_bytes = 0
    end

    # Makes the receiver that the environment asks for; it prints by timers of EventMachine.
    def self.from_environment
      settings = AutostradaKit.read_or_exit { |environment| Settings.read_from(environment) }
      name = File.basename(File.dirname(File.expand_path($PROGRAM_NAME)))
      to_line = Lines.method(:json)
      to_line = ->(event) { Lines.autoroute(name, event) } if settings.lines == "autoroute"
      new(settings, to_line: to_line, clock: CLOCK, later: LATER, output: $stdout)
    end

    # Notes that a connection is open, and returns it.
    def opened
      connection =
        if @feed
          CheckedConnection.new(@wanted, @clock, @feed)
        else
          ReceivingConnection.new(@wanted, @clock)
        end
      @opened << connection
      unless @opened_ns
        @opened_ns = @clock.call
        report
      end
      connection
    end

    # Prints the seconds that have ended.
    #
    # Returns the nanoseconds to the end of the next one, or nil when all messages are there: no
    # second is printed after the last message.
    def tick
      return if @is_finished

      now_ns = @clock.call
      received_ns = all_received_ns
      print_seconds(received_ns || now_ns)
      next_end_ns - now_ns unless received_ns
    end

    # Prints the result. Nothing is printed after it.
    #
    # Where messages are missing, +received_ns+ is the instant of this call.
    def finish
      received_ns = all_received_ns || @clock.call
      print_seconds(received_ns)
      result = {
        event: "result", connections: @opened.size, messages: messages, bytes: bytes,
        opened_ns: @opened_ns, received_ns: received_ns
      }
      print_line(@feed ? result.merge(sum_up) : result)
      @is_finished = true
      wanted = @wanted * @connections
      warn "received #{messages} of #{wanted} messages" if messages < wanted && wanted.finite?
    end

    # Exits with the reason, in one line, why there is nothing to count.
    def fail(reason)
      AutostradaKit.exit_with("cannot receive from #{@url}: ", reason)
    end

    private

    def report
      left_ns = tick
      @later.call(left_ns) { report } if left_ns
    end

    def messages
      @opened.sum(&:messages)
    end

    def bytes
      @opened.sum(&:bytes)
    end

    def all_received_ns
      instants = @opened.map(&:received_ns)
      instants.max if instants.size == @connections && instants.all?
    end

    def next_end_ns
      @opened_ns + (@seconds + 1) * SECOND_NS
    end

    def print_seconds(until_ns)
      # After a stall of several seconds the first of them gets all that came: which came when is
      # not known.
      while until_ns >= next_end_ns
        more = { messages: messages - @printed_messages, bytes: bytes - @printed_bytes }
        print_line({ event: "second", second: @seconds }.merge(more))
        @seconds += 1
        @printed_messages = messages
        @printed_bytes = bytes
      end
    end

    # Returns what the result says of a feed.
    def sum_up
      verdicts = @opened.map { |connection| connection.sequence.counts }
      sequence = Sequence::VERDICTS.to_h { |each| [each, verdicts.sum { |counts| counts[each] }] }
      latencies = @opened.map(&:latencies).reduce(Latencies.new, :merge)
      {
        wrong: @opened.sum(&:wrong),
        sequence: @feed.has_number? ? sequence : nil,
        latency_ns: @feed.has_instant? ? latencies.counts : nil
      }
    end

    def print_line(event)
      @output.puts(@to_line.call(event))
      @output.flush
    end
  end

  # Writes lines of the contract's sections 3 and 4.
  module Lines
    module_function

    def json(event)
      JSON.generate(event)
    end

    def autoroute(name, event)
      return "messages received per second: #{event[:messages]}" if event[:event] == "second"

      duration_ns = event[:received_ns] - event[:opened_ns]
      "AUTOROUTE #{name} :: #{(duration_ns + 500_000) / 1_000_000} ms"
    end
  end
end
