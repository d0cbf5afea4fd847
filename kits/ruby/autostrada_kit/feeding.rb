# Sends a feed to subscribers on schedule: docs/contract.md, section 8.

require "json"

require_relative "clock"
require_relative "serving"

module AutostradaKit
  # The subscribers and their feed; serves one group of subscribers after the other.
  #
  # Once all have joined, the block is called with the feed, which it must publish.
  class Subscribers
    def initialize(settings, &publish)
      @settings = settings
      @publish = publish
      @subscribed = []
      @feed = nil
    end

    # Adds a subscriber. Returns the function to call when it is gone.
    def join(subscriber)
      raise ArgumentError, "there is no feed: set FEED in the environment" unless @settings

      if @feed&.over?
        @feed = nil
        @subscribed = []
      end
      subscribed = @subscribed
      subscribed << subscriber
      if !@feed && subscribed.size == @settings.subscribers
        @feed = Feed.new(@settings, subscribed)
        @publish.call(@feed)
      end
      -> { subscribed.delete(subscriber) }
    end
  end

  # One feed for one group of subscribers, from its first message to its last.
  class Feed
    # Number of messages after which the event loop runs other callbacks.
    TURN_MESSAGES = 64

    def initialize(settings, subscribed, clock: CLOCK, later: LATER, soon: SOON, output: $stdout)
      @settings = settings
      @subscribed = subscribed
      @clock = clock
      @later = later
      @soon = soon
      @output = output
      @start_ns = clock.call
      @is_over = false
      @number = @messages = @bytes = 0
      # State at the last printed line.
      @seconds = @printed_messages = @printed_bytes = 0
    end

    def over?
      @is_over
    end

    # Returns the recipients of the next message, as a copy.
    def subscribed
      @subscribed.dup
    end

    # Publishes the feed in an event loop, with timers. Calls the block with each message when it is
    # due, and +finally+ when the feed is over. A continuous feed calls +has_room+ to ask whether
    # all subscribers have room for a message.
    def publish(has_room:, finally:, &deliver)
      resume = -> { publish(has_room: has_room, finally: finally, &deliver) }
      TURN_MESSAGES.times do
        left_ns = wait_ns
        if left_ns.nil?
          finish
          return finally.call
        end
        return @later.call(left_ns, &resume) if left_ns.positive?
        break unless @settings.every_ns || has_room.call

        deliver.call(next_message)
      end
      @soon.call(&resume)
    end

    # Returns how long to wait, in nanoseconds. 0: a message is due. nil: the feed is over.
    def wait_ns
      now_ns = @clock.call
      print_seconds(now_ns)
      due_ns = next_due_ns(now_ns)
      return if (due_ns <= now_ns && !left?(due_ns)) || @subscribed.empty?

      next_second_ns = @start_ns + (@seconds + 1) * SECOND_NS
      [0, [due_ns, next_second_ns].min - now_ns].max
    end

    # Returns the message that is due and counts it once per subscriber.
    def next_message
      number = @number
      every_ns = @settings.every_ns
      stocks = @settings.stocks_of_message(number)
      time_ns = every_ns ? @start_ns + number * every_ns : @clock.call
      message = @settings.format.encode(number, time_ns, stocks)
      @number += 1
      @messages += @subscribed.size
      @bytes += message.bytesize * @subscribed.size
      message
    end

    # Prints the result line.
    def finish
      @is_over = true
      print_line(event: "result", messages: @messages, bytes: @bytes)
    end

    private

    # Returns when the next message is due. After the last message, this is when the feed ends.
    def next_due_ns(now_ns)
      every_ns = @settings.every_ns
      every_ns ? @start_ns + @number * every_ns : now_ns
    end

    def left?(due_ns)
      duration_ns = @settings.duration_ns
      is_late = duration_ns && due_ns >= @start_ns + duration_ns
      !is_late && @number < @settings.messages
    end

    def print_seconds(until_ns)
      while until_ns >= @start_ns + (@seconds + 1) * SECOND_NS
        print_line(
          event: "second", second: @seconds, messages: @messages - @printed_messages,
          bytes: @bytes - @printed_bytes
        )
        @seconds += 1
        @printed_messages = @messages
        @printed_bytes = @bytes
      end
    end

    def print_line(event)
      @output.puts(JSON.generate(event))
      @output.flush
    end
  end
end
