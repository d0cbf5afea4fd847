# Counts the echoes of a client and prints its line: docs/contract.md, section 5.

require "json"

require_relative "clock"
require_relative "ending"
require_relative "settings"

module AutostradaKit
  # A client's echoes, and its line.
  #
  # Call +opened+ for each connection, +answered+ for each answer, and +closed+ for each connection
  # that was told to close; or +fail+ when one cannot be opened or ends early.
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
      # When the window begins; nil until the last connection is open.
      @begins_ns = nil
    end

    # Makes the exchanger that the environment asks for.
    def self.from_environment
      settings = AutostradaKit.read_or_exit { |environment| EchoSettings.read_from(environment) }
      new(settings, clock: CLOCK, output: $stdout)
    end

    # Notes that a connection is open. It must send its first message.
    def opened
      @opened += 1
      @begins_ns = @clock.call + @warm_up_ns if @opened == @connections
    end

    # Counts one answer; returns true to send again, false to close the connection with 1000.
    def answered(answer)
      # Asking the clock costs little beside an echo.
      elapsed_ns = @begins_ns ? @clock.call - @begins_ns : -1
      if answer != @payload
        @wrong += 1
      elsif elapsed_ns >= 0 && elapsed_ns < @window_ns
        @echoed += 1
      end
      elapsed_ns < @window_ns
    end

    # Notes that a connection is closed. After the last one prints the result, and returns true.
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

    # Exits with the reason, in one line, why there is no exchange.
    def fail(reason)
      AutostradaKit.exit_with("cannot exchange with #{@url}: ", reason)
    end
  end
end
