# Counts the messages of a client, tells what to do after each, and prints the result:
# docs/contract.md, section 3.

require "json"

require_relative "variables"

module AutostradaKit
  # Returns the time of the monotonic clock, in nanoseconds.
  CLOCK = -> { Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond) }

  # Settings of a client.
  ClientSettings = Struct.new(:url, :connections, :messages, :is_replying, keyword_init: true) do
    extend Variables

    # Reads the variables of a client; raises a SettingsError that names a wrong one.
    def self.read_from(environment)
      new(
        url: read_url(environment),
        connections: read_count(environment, "CONNECTIONS", "1"),
        # nil: until the server closes
        messages: environment["MESSAGES"] && read_count(environment, "MESSAGES"),
        is_replying: read_choice(environment, "VERB", %w[count reply]) == "reply"
      )
    end
  end

  # Counts the messages of one connection.
  class Connection
    attr_reader :messages

    # The instant of the last message wanted, or nil. Other messages have none, because reading the
    # clock costs more than counting.
    attr_reader :received_ns

    def initialize(settings, clock)
      @is_replying = settings.is_replying
      @wanted = settings.messages
      @clock = clock
      @messages = 0
      @received_ns = nil
    end

    # Counts one message. Returns what to do then: +:continue+, +:reply+ (send it back) or +:close+
    # (start the closing handshake with code 1000).
    def received
      # The library may deliver more while the connection closes. These messages are not counted.
      return :continue if @received_ns

      @messages += 1
      return :reply if @is_replying
      return :continue unless @messages == @wanted

      @received_ns = @clock.call
      :close
    end
  end

  # The connections of a client.
  #
  # Call +opened+ for each connection, +received+ on the returned object for each message, and
  # +closed+ when the connection has ended. Call +fail+ if it cannot be opened.
  class Client
    attr_reader :settings

    def initialize(settings, clock: CLOCK, output: $stdout)
      @settings = settings
      @clock = clock
      @output = output
      @opened = []
      @opened_ns = nil
      @closed = 0
    end

    # Creates the client that the environment variables describe.
    def self.from_environment
      new(AutostradaKit.read_or_exit { |environment| ClientSettings.read_from(environment) })
    end

    # Registers a connection that is open, and returns its count.
    def opened
      @opened_ns ||= @clock.call
      @opened << Connection.new(@settings, @clock)
      @opened.last
    end

    # Registers the end of a connection. After the last one, prints the result and returns true.
    def closed
      @closed += 1
      return false if @closed < @settings.connections

      instants = @opened.map { |connection| connection.received_ns || @clock.call }
      result = {
        event: "result", connections: @opened.size, messages: @opened.sum(&:messages),
        opened_ns: @opened_ns, received_ns: instants.max
      }
      @output.puts(JSON.generate(result))
      @output.flush
      true
    end

    # Ends the program with status 1 and a one-line reason.
    def fail(reason)
      AutostradaKit.exit_with(1, "#{@settings.url}: #{reason.to_s.strip}")
    end
  end
end
