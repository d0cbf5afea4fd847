# Adds up the messages that a client receives and prints its lines: docs/contract.md, sections 3, 4
# and 7.

require "json"

require_relative "clock"
require_relative "ending"
require_relative "feed"
require_relative "latency"
require_relative "sequence"
require_relative "settings"

module AutostradaKit
  # Counts the messages of one connection.
  class ReceivingConnection
    attr_reader :messages, :bytes

    # Time at which the last expected message arrived; nil before that. Other messages are not
    # timed, because reading the clock costs more than counting.
    attr_reader :received_ns

    def initialize(expected, clock)
      @expected = expected
      @clock = clock
      @messages = @bytes = 0
      @received_ns = nil
    end

    # Counts one message. Returns true once all expected messages have arrived.
    def received(message)
      # The library may deliver more while the connection closes. These messages are not counted.
      return true if @messages == @expected

      @messages += 1
      @bytes += message.is_a?(String) ? message.bytesize : message.size
      return false if @messages < @expected

      @received_ns = @clock.call
      true
    end
  end

  # Counts and checks the messages of a feed on one connection.
  class CheckedConnection < ReceivingConnection
    attr_reader :sequence, :latencies, :wrong

    def initialize(expected, clock, feed)
      super(expected, clock)
      @feed = feed
      @sequence = Sequence.new
      @latencies = Latencies.new
      @wrong = 0
    end

    # Checks and counts one message. Returns true once all expected messages have arrived.
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

  # Adds up the messages of all connections of a client and prints the lines.
  #
  # Call +opened+ for each connection, +received+ on the returned object for each message, and
  # +finish+ when all connections are closed. Call +fail+ if a connection cannot be opened.
  class Receiver
    attr_reader :url, :connections

    def initialize(settings, to_line:, clock:, later:, output:)
      @url = settings.url
      @connections = settings.connections
      @expected = settings.messages
      @feed = settings.feed
      @to_line = to_line
      @clock = clock
      @later = later
      @output = output
      @opened = []
      @opened_ns = nil
      @is_finished = false
      # State at the last printed line.
      @seconds = @printed_messages = @printed_bytes = 0
    end

    # Creates the receiver that the environment variables describe, with timers of EventMachine.
    def self.from_environment
      settings = AutostradaKit.read_or_exit { |environment| Settings.read_from(environment) }
      name = File.basename(File.dirname(File.expand_path($PROGRAM_NAME)))
      to_line = Lines.method(:json)
      to_line = ->(event) { Lines.autoroute(name, event) } if settings.lines == "autoroute"
      new(settings, to_line: to_line, clock: CLOCK, later: LATER, output: $stdout)
    end

    # Registers an open connection and returns its counts.
    def opened
      connection =
        if @feed
          CheckedConnection.new(@expected, @clock, @feed)
        else
          ReceivingConnection.new(@expected, @clock)
        end
      @opened << connection
      unless @opened_ns
        @opened_ns = @clock.call
        report
      end
      connection
    end

    # Prints a line for each second that has ended.
    #
    # Returns the nanoseconds until the next second ends, or nil once all messages have arrived: no
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
    # If messages are missing, +received_ns+ is the time of this call.
    def finish
      received_ns = all_received_ns || @clock.call
      print_seconds(received_ns)
      result = {
        event: "result", connections: @opened.size, messages: messages, bytes: bytes,
        opened_ns: @opened_ns, received_ns: received_ns
      }
      print_line(@feed ? result.merge(sum_up) : result)
      @is_finished = true
      expected = @expected * @connections
      warn "received #{messages} of #{expected} messages" if messages < expected && expected.finite?
    end

    # Exits with a one-line reason why nothing can be received.
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
      # After a stall of several seconds, the first of them is credited with all messages: their
      # times of arrival are unknown.
      while until_ns >= next_end_ns
        more = { messages: messages - @printed_messages, bytes: bytes - @printed_bytes }
        print_line({ event: "second", second: @seconds }.merge(more))
        @seconds += 1
        @printed_messages = messages
        @printed_bytes = bytes
      end
    end

    # Returns the keys of the result line that only a feed has.
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

  # Formats the lines of docs/contract.md, sections 3 and 4.
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
