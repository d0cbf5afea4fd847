# Bots: connections that send when it is due. docs/contract.md, section 6.

require "json"

require_relative "clock"
require_relative "ending"
require_relative "latency"
require_relative "settings"

module AutostradaKit
  # All connections' events, and the client's line.
  #
  # Call +opened+ for each connection, +answered+ of what it returns for each answer, and +closed+
  # for each connection that was told to close; or +fail+ when one cannot be opened or ends early.
  class Bots
    attr_reader :url, :connections, :payload, :every_ns, :drain_ns, :warm_up_ns, :window_ns,
                :clock, :later

    # Returns when an event is due; the place is a connection's, of so many.
    def self.due_ns(start_ns, every_ns, place, event)
      connection, connections = place
      start_ns + connection * every_ns / connections + event * every_ns
    end

    # Returns the text of an event.
    def self.stamp(event, due_ns, payload)
      format("%020d %020d %s", event, due_ns, payload)
    end

    def initialize(settings, clock:, later:, output:)
      @url = settings.echo.url
      @connections = settings.echo.connections
      @payload = settings.echo.payload
      @every_ns = settings.every_ns
      @drain_ns = settings.drain_ns
      @warm_up_ns = settings.echo.warm_up_ns
      @window_ns = settings.echo.window_ns
      @clock = clock
      @later = later
      @output = output
      @opened = []
      @closed = 0
    end

    # Makes the bots that the environment asks for; they send by timers of EventMachine.
    def self.from_environment
      settings = AutostradaKit.read_or_exit { |environment| BotSettings.read_from(environment) }
      new(settings, clock: CLOCK, later: LATER, output: $stdout)
    end

    # Notes that a connection is open, and returns its bot.
    #
    # +send_event+ is called with each event when it is due, +close+ when the connection must be
    # closed with 1000.
    def opened(send_event:, close:)
      place = [@opened.size, @connections]
      bot = Bot.new(self, place, send_event: send_event, close: close)
      @opened << bot
      if @opened.size == @connections
        start_ns = @clock.call
        @opened.each { |each| each.begin_at(start_ns) }
      end
      bot
    end

    # Notes that a connection is closed. After the last one prints the result, and returns true.
    def closed
      @closed += 1
      return false if @closed < @connections

      latencies = @opened.map(&:latencies).reduce(Latencies.new, :merge)
      result = {
        event: "result", connections: @opened.size, sent: @opened.sum(&:counted),
        echoed: latencies.total, wrong: @opened.sum(&:wrong), window_ns: @window_ns,
        response_time_ns: latencies.counts
      }
      @output.puts(JSON.generate(result))
      @output.flush
      true
    end

    # Exits with the reason, in one line, why the bots cannot go on.
    def fail(reason)
      AutostradaKit.exit_with("cannot send to #{@url}: ", reason)
    end
  end

  # One connection's events.
  class Bot
    attr_reader :latencies, :wrong

    # How many were sent of those that were due within the window.
    attr_reader :counted

    def initialize(bots, place, send_event:, close:)
      @bots = bots
      @place = place
      @send_event = send_event
      @close = close
      @latencies = Latencies.new
      @wrong = @counted = 0
      @is_over = false
      @sent = 0
      # The number of the first event that is not answered.
      @unanswered = 0
    end

    # Whether it has been told to close.
    def over?
      @is_over
    end

    # All connections are open.
    def begin_at(start_ns)
      @first_due_ns = Bots.due_ns(start_ns, @bots.every_ns, @place, 0)
      @window_at_ns = start_ns + @bots.warm_up_ns
      @end_ns = @window_at_ns + @bots.window_ns
      send_due
    end

    # Judges an answer.
    def answered(answer)
      now_ns = @bots.clock.call
      event = number_of(answer)
      unless event
        @wrong += 1
        return
      end
      @unanswered = event + 1
      @latencies.record(now_ns - due_ns(event)) if counted?(event)
      finish if sent_all? && @unanswered == @sent
    end

    private

    # Returns the number of the event that an answer is right for; nil: it is wrong.
    def number_of(answer)
      return unless answer.is_a?(String) && answer.match?(/\A[0-9]{20} /)

      event = answer[0, 20].to_i
      is_expected = event >= @unanswered && event < @sent
      event if is_expected && answer == Bots.stamp(event, due_ns(event), @bots.payload)
    end

    def send_due
      now_ns = @bots.clock.call
      while !sent_all? && due_ns(@sent) <= now_ns
        event = @sent
        @counted += 1 if counted?(event)
        @sent += 1
        @send_event.call(Bots.stamp(event, due_ns(event), @bots.payload))
      end
      if !sent_all?
        wait(due_ns(@sent)) { send_due }
      elsif @unanswered == @sent
        finish
      else
        wait(@end_ns + @bots.drain_ns) { finish }
      end
    end

    def finish
      return if @is_over

      @is_over = true
      @close.call
    end

    def wait(until_ns, &continue)
      @bots.later.call([0, until_ns - @bots.clock.call].max, &continue)
    end

    def sent_all?
      due_ns(@sent) >= @end_ns
    end

    def counted?(event)
      due_ns(event) >= @window_at_ns && due_ns(event) < @end_ns
    end

    def due_ns(event)
      @first_due_ns + event * @bots.every_ns
    end
  end
end
