# Tests of the counts and the printed lines, with a manual clock.

require "json"
require "minitest/autorun"
require "stringio"

require "autostrada_kit"

class ReceiverTest < Minitest::Test
  include AutostradaKit

  OPENED_NS = 81_000_000_000

  def setup
    @now_ns = OPENED_NS
    @output = StringIO.new
  end

  def make(messages, connections: 1, feed: nil, to_line: Lines.method(:json))
    settings = Settings.new(
      url: "ws://host/1", messages: messages, connections: connections, feed: feed
    )
    clock = -> { @now_ns }
    later = ->(_left_ns, &_continue) {}
    Receiver.new(settings, to_line: to_line, clock: clock, later: later, output: @output)
  end

  def events
    @output.string.lines.map { |line| JSON.parse(line) }
  end

  def counts_of_seconds
    seconds = events.select { |event| event["event"] == "second" }
    seconds.map { |second| second.values_at("second", "messages", "bytes") }
  end

  def test_counts_the_payload_bytes_of_text_and_of_binary
    { "" => 0, "hello" => 5, "grüezi" => 7, "日本語" => 9, [] => 0, [0, 255, 254] => 3 }
      .each do |message, bytes|
        receiver = make(1)
        assert receiver.opened.received(message)
        receiver.finish
        assert_equal [1, bytes], events.last.values_at("messages", "bytes")
      end
  end

  def test_does_not_count_messages_while_the_connection_closes
    receiver = make(2)
    connection = receiver.opened
    answers = Array.new(4) do
      @now_ns += 10
      connection.received("abc")
    end
    receiver.finish
    assert_equal [false, true, true, true], answers
    counted = events.last.values_at("messages", "bytes", "received_ns")
    assert_equal [2, 6, OPENED_NS + 20], counted
  end

  def test_the_result_is_the_line_of_the_contract
    receiver = make(2)
    connection = receiver.opened
    @now_ns += 400_000_000
    connection.received("hello")
    @now_ns += 83
    connection.received("world")
    @now_ns += 900_000_000
    receiver.finish
    line = '{"event":"result","connections":1,"messages":2,"bytes":10,' \
           '"opened_ns":81000000000,"received_ns":81400000083}'
    assert_equal "#{line}\n", @output.string
  end

  def test_seconds_are_printed_when_they_have_ended_even_without_a_message
    receiver = make(10)
    connection = receiver.opened
    connection.received("hello")
    @now_ns += SECOND_NS - 1
    assert_equal 1, receiver.tick
    assert_equal "", @output.string
    @now_ns += 1
    assert_equal SECOND_NS, receiver.tick
    @now_ns += SECOND_NS + 300_000_000
    assert_equal 700_000_000, receiver.tick
    connection.received("hello")
    @now_ns += 2 * SECOND_NS
    receiver.tick
    assert_equal [[0, 1, 5], [1, 0, 0], [2, 1, 5], [3, 0, 0]], counts_of_seconds
  end

  def test_no_second_is_printed_after_the_last_message_and_nothing_after_the_result
    receiver = make(1)
    connection = receiver.opened
    @now_ns += 2 * SECOND_NS + 5
    connection.received("hello")
    @now_ns += 5 * SECOND_NS
    assert_nil receiver.tick
    receiver.finish
    assert_nil receiver.tick
    assert_equal %w[second second result], events.map { |event| event["event"] }
  end

  def test_connections_are_added_up_and_the_first_opening_counts
    receiver = make(1, connections: 2)
    opened = Array.new(2) do
      @now_ns += 1000
      receiver.opened
    end
    opened.each do |connection|
      @now_ns += 7
      connection.received("hello")
    end
    receiver.finish
    result = { "event" => "result", "connections" => 2, "messages" => 2, "bytes" => 10 }
    instants = { "opened_ns" => OPENED_NS + 1000, "received_ns" => OPENED_NS + 2014 }
    assert_equal result.merge(instants), events.last
  end

  def test_an_early_close_is_a_result_with_what_was_counted
    receiver = make(3)
    receiver.opened.received("hello")
    @now_ns += 500
    _, errors = capture_io { receiver.finish }
    assert_equal "received 1 of 3 messages\n", errors
    assert_equal [1, OPENED_NS + 500], events.last.values_at("messages", "received_ns")
  end

  def test_a_feed_is_checked_and_summed_up
    receiver = make(Float::INFINITY, connections: 2, feed: FeedFormat.new("stocks", "json"))
    2.times do
      connection = receiver.opened
      [0, 2].each do |number|
        time_ns = @now_ns - 51_234
        connection.received(%({"sequence":#{number},"time_ns":#{time_ns},"stocks":[]}))
      end
      connection.received(%({"sequence":3,"time_ns":#{@now_ns + 1},"stocks":[]}))
      connection.received("hello")
    end
    receiver.finish
    others = { "duplicates" => 0, "reordered" => 0, "unexpected" => 0 }
    sequence = { "in_order" => 2, "gaps" => 2, "missing" => 2 }.merge(others)
    summed = { "wrong" => 4, "sequence" => sequence, "latency_ns" => { "51200" => 4 } }
    assert_equal summed, events.last.slice("wrong", "sequence", "latency_ns")
    assert_equal 8, events.last["messages"]
  end

  def test_autoroute_lines_are_those_of_the_original
    { 2_830_499_999 => 2830, 2_830_500_000 => 2831, 499_999 => 0, 500_000 => 1 }
      .each do |duration_ns, milliseconds|
        receiver = make(1, to_line: ->(event) { Lines.autoroute("ruby-example", event) })
        connection = receiver.opened
        @now_ns += duration_ns
        connection.received("hello")
        receiver.finish
        line = "AUTOROUTE ruby-example :: #{milliseconds} ms\n"
        assert_equal line, @output.string.lines.last
      end
    second = { event: "second", second: 0, messages: 7, bytes: 77 }
    assert_equal "messages received per second: 7", Lines.autoroute("ruby-example", second)
  end
end
