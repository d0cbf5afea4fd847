# Tests of the echo counts and the result line, with a manual clock.

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

  def test_counts_answers_in_the_window_and_ends_after_it
    [
      [OPENED_NS, 0, true], [WINDOW_AT_NS - 1, 0, true], [WINDOW_AT_NS, 1, true],
      [WINDOW_AT_NS + WINDOW_NS - 1, 1, true], [WINDOW_AT_NS + WINDOW_NS, 0, false]
    ].each do |at_ns, echoed, is_ongoing|
      setup
      exchanger = make
      exchanger.opened
      @now_ns = at_ns
      assert_equal is_ongoing, exchanger.answered("grüezi")
      assert exchanger.closed
      assert_equal line(echoed: echoed), @output.string
    end
  end

  def test_another_content_or_type_is_wrong_at_any_time
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
