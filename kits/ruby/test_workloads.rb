# Tests of echoes and bots, with a clock and timers set by hand.

require "json"
require "minitest/autorun"
require "stringio"

require "autostrada_kit"

class ExchangerTest < Minitest::Test
  include AutostradaKit

  OPENED_NS = 81_000_000_000
  WINDOW_AT_NS = OPENED_NS + 500
  WINDOW_NS = 2_000

  def setup
    @now_ns = OPENED_NS
    @output = StringIO.new
  end

  def make(connections: 1)
    settings = EchoSettings.new(
      url: "ws://host/echo", window_ns: WINDOW_NS, warm_up_ns: 500,
      connections: connections, payload: "grüezi"
    )
    Exchanger.new(settings, clock: -> { @now_ns }, output: @output)
  end

  def line(connections: 1, echoed: 0, wrong: 0)
    %({"event":"result","connections":#{connections},"echoed":#{echoed},"wrong":#{wrong},) +
      %("window_ns":2000}\n)
  end

  def test_counts_what_comes_within_the_window_and_ends_after_it
    [
      [OPENED_NS, 0, true], [WINDOW_AT_NS - 1, 0, true], [WINDOW_AT_NS, 1, true],
      [WINDOW_AT_NS + WINDOW_NS - 1, 1, true], [WINDOW_AT_NS + WINDOW_NS, 0, false]
    ].each do |at_ns, echoed, goes_on|
      setup
      exchanger = make
      exchanger.opened
      @now_ns = at_ns
      assert_equal goes_on, exchanger.answered("grüezi")
      assert exchanger.closed
      assert_equal line(echoed: echoed), @output.string
    end
  end

  def test_another_content_or_type_is_wrong_whenever_it_comes
    exchanger = make
    exchanger.opened
    assert exchanger.answered("")
    @now_ns = WINDOW_AT_NS
    assert exchanger.answered("grüezj")
    assert exchanger.answered("grüezi".bytes)
    @now_ns += WINDOW_NS
    refute exchanger.answered("grüezi ")
    exchanger.closed
    assert_equal line(wrong: 4), @output.string
  end

  def test_the_warm_up_begins_when_the_last_connection_is_open
    exchanger = make(connections: 2)
    exchanger.opened
    @now_ns += 10 * WINDOW_NS
    assert exchanger.answered("grüezi")
    exchanger.opened
    @now_ns += 499
    assert exchanger.answered("grüezi")
    @now_ns += 1
    assert exchanger.answered("grüezi")
    refute exchanger.closed
    assert exchanger.closed
    assert_equal line(connections: 2, echoed: 1), @output.string
  end
end

class BotsTest < Minitest::Test
  include AutostradaKit

  OPENED_NS = 81_000_000_000

  def setup
    @now_ns = OPENED_NS
    @output = StringIO.new
    @timers = []
    @sent = []
    @closed = 0
  end

  def make(connections: 1, warm_up_ns: 250)
    echo = EchoSettings.new(
      url: "ws://host/echo", window_ns: 400, warm_up_ns: warm_up_ns,
      connections: connections, payload: "hi"
    )
    settings = BotSettings.new(echo: echo, every_ns: 100, drain_ns: 1000)
    later = ->(left_ns, &continue) { @timers << [@now_ns + left_ns, continue] }
    @bots = Bots.new(settings, clock: -> { @now_ns }, later: later, output: @output)
  end

  def open_bot
    send_event = ->(event) { @sent << [@now_ns - OPENED_NS, event] }
    @bots.opened(send_event: send_event, close: -> { @closed += 1 })
  end

  # Sets the clock to the next timer's instant, and calls what it calls.
  def pass_time
    at_ns, continue = @timers.min_by(&:first)
    @timers.delete([at_ns, continue])
    @now_ns = [@now_ns, at_ns].max
    continue.call
  end

  def result
    JSON.parse(@output.string)
  end

  def test_events_are_spread_over_the_interval_and_sent_when_they_are_due
    make(connections: 2)
    open_bot
    assert_empty @sent
    open_bot
    12.times { pass_time }
    # Due at 0, 100, … 600 and at 50, 150, … 550, of 650.
    assert_equal [*0.step(600, 50)], @sent.map(&:first)
    assert_equal Bots.stamp(0, OPENED_NS + 50, "hi"), @sent[1].last
    2.times { pass_time }
    assert_equal 2, @closed
    refute @bots.closed
    assert @bots.closed
    # Of these, 300, … 600 and 250, … 550 are within the window.
    assert_equal [8, 0, 0], result.values_at("sent", "echoed", "wrong")
  end

  def test_what_is_late_is_sent_at_once_and_nothing_is_left_out
    make
    open_bot
    @now_ns += 320
    pass_time
    assert_equal [0, 320, 320, 320], @sent.map(&:first)
    assert_equal Bots.stamp(3, OPENED_NS + 300, "hi"), @sent.last.last
  end

  def test_response_times_are_from_due_and_of_the_window_only
    make
    bot = open_bot
    6.times { pass_time }
    @sent.map(&:last).each do |event|
      @now_ns += 10
      bot.answered(event)
    end
    assert bot.over?
    assert @bots.closed
    # Of the events that are due at 300, … 600, answered at 640, … 670.
    latencies = { "340" => 1, "250" => 1, "160" => 1, "70" => 1 }
    expected = {
      "event" => "result", "connections" => 1, "sent" => 4, "echoed" => 4, "wrong" => 0,
      "window_ns" => 400, "response_time_ns" => latencies
    }
    assert_equal expected, result
  end

  def test_an_answer_is_right_once_and_in_its_order
    make(warm_up_ns: 0)
    bot = open_bot
    3.times { pass_time }
    events = @sent.map(&:last)
    bot.answered(events[1])
    wrong = [events[1], events[0], events[2].bytes, "#{events[2]}!", "", "4"]
    wrong << Bots.stamp(99, OPENED_NS + 9900, "hi")
    wrong.each { |answer| bot.answered(answer) }
    refute bot.over?
    bot.answered(events[3])
    assert bot.over?
    @bots.closed
    assert_equal [4, 2, 7], result.values_at("sent", "echoed", "wrong")
  end
end
