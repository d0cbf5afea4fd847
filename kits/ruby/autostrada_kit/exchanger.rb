# Counts a client's echoes and prints its result line: docs/contract.md, section 5.

require "json"

require_relative "clock"
require_relative "ending"
require_relative "settings"

module AutostradaKit
  # Counts the echoes of all connections of a client and prints the result line.
  #
  # Call +opened+ for each connection, +answered+ for each answer, and +closed+ for each connection
  # after its exchange is over. Call +fail+ if a connection cannot be opened or ends early.
  class Exchanger
    attr_reader :url, :connections, :payload

    def initialize(settings, clock:, output:)
      @url = settings.url
      @connections = settings.connections
      @payload = settings.payload
      @warm_up_ns = settings.warm_up_ns
      @window_ns = settings.window_ns
      @clock = clock
      @output = output
      @opened = @closed = @echoed = @wrong = 0
      # Start of the window, in nanoseconds; nil until the last connection is open.
      @begins_ns = nil
    end

    # Creates the exchanger that the environment variables describe.
    def self.from_environment
      settings = AutostradaKit.read_or_exit { |environment| EchoSettings.read_from(environment) }
      new(settings, clock: CLOCK, output: $stdout)
    end

    # Registers an open connection, which must then send its first message.
    def opened
      @opened += 1
      @begins_ns = @clock.call + @warm_up_ns if @opened == @connections
    end

    # Counts one answer. Returns true to send the next message, false to close with code 1000.
    def answered(answer)
      # Reading the clock is cheap compared with an echo.
      elapsed_ns = @begins_ns ? @clock.call - @begins_ns : -1
      if answer != @payload
        @wrong += 1
      elsif elapsed_ns >= 0 && elapsed_ns < @window_ns
        @echoed += 1
      end
      elapsed_ns < @window_ns
    end

    # Registers that a connection is closed. After the last one, prints the result and returns true.
    def closed
      @closed += 1
      return false if @closed < @connections

      result = {
        event: "result", connections: @opened, echoed: @echoed, wrong: @wrong, window_ns: @window_ns
      }
      @output.puts(JSON.generate(result))
      @output.flush
      true
    end

    # Exits with a one-line reason why the exchange is impossible.
    def fail(reason)
      AutostradaKit.exit_with("cannot exchange with #{@url}: ", reason)
    end
  end
end
