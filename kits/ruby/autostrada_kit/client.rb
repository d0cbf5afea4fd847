# Counts the messages of a client, tells what to do after each, and prints the result:
# docs/contract.md, section 3.

require "json"

require_relative "variables"

module AutostradaKit
  # Returns the time of the monotonic clock, in nanoseconds.
  CLOCK = -> { Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond) }

  # Counts the messages of one connection.
  class Connection
    attr_reader :messages

    # The instant of the last message wanted, or nil. Other messages have none, because reading the
    # clock costs more than counting.
    attr_reader :received_ns

    def initialize(wanted, is_replying)
      @is_replying = is_replying
      @wanted = wanted
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

      @received_ns = CLOCK.call
      :close
    end
  end

  # The settings of a client, which the environment variables describe, and its connections.
  #
  # Call +opened+ for each connection, +received+ on the returned object for each message, and
  # +closed+ when the connection has ended. Call +fail+ if it cannot be opened.
  class Client
    include Variables

    attr_reader :url, :connections

    def initialize
      @url = read_url
      @connections = read_count("CONNECTIONS", "1")
      # nil: until the server closes
      @messages = ENV["MESSAGES"] && read_count("MESSAGES")
      @is_replying = read_choice("VERB", %w[count reply]) == "reply"
      @opened = []
      @opened_ns = nil
      @closed = 0
    end

    # Registers a connection that is open, and returns its count.
    def opened
      @opened_ns ||= CLOCK.call
      @opened << Connection.new(@messages, @is_replying)
      @opened.last
    end

    # Registers the end of a connection. After the last one, prints the result and returns true.
    def closed
      @closed += 1
      return false if @closed < @connections

      instants = @opened.map { |connection| connection.received_ns || CLOCK.call }
      result = {
        event: "result", connections: @opened.size, messages: @opened.sum(&:messages),
        opened_ns: @opened_ns, received_ns: instants.max
      }
      puts JSON.generate(result)
      $stdout.flush
      true
    end

    # Ends the program with status 1 and a one-line reason.
    def fail(reason)
      AutostradaKit.exit_with(1, "#{@url}: #{reason.to_s.strip}")
    end
  end
end
