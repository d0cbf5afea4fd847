# Tests of a feed, with a manual clock and manual timers, and of its subscribers.

require "json"
require "minitest/autorun"
require "stringio"

require "autostrada_kit"

class FeedingTest < Minitest::Test
  include AutostradaKit

  START_NS = 81_000_000_000
  EVERY_NS = 400_000_000

  def setup
    @now_ns = START_NS
    @output = StringIO.new
    @subscribed = %w[a b]
    @waiting = []
  end

  def make(kind, **settings)
    given = FeedSettings.new(
      format: FeedFormat.new(kind, "json"), stocks: 1, messages: Float::INFINITY, **settings
    )
    later = ->(left_ns, &continue) { @waiting << [left_ns, continue] }
    soon = ->(&continue) { @waiting << [0, continue] }
    Feed.new(
      given, @subscribed, clock: -> { @now_ns }, later: later, soon: soon, output: @output
    )
  end

  def lines
    @output.string.lines.map { |line| JSON.parse(line) }
  end

  def test_messages_are_due_by_their_number
    feed = make("clock", every_ns: EVERY_NS, messages: 3)
    assert_equal 0, feed.wait_ns
    assert_equal START_NS.to_s, feed.next_message
    assert_equal EVERY_NS, feed.wait_ns
    # A late message carries the time at which it was due, and does not delay the next ones.
    @now_ns += EVERY_NS + 7
    assert_equal 0, feed.wait_ns
    assert_equal (START_NS + EVERY_NS).to_s, feed.next_message
    assert_equal EVERY_NS - 7, feed.wait_ns
    @now_ns = START_NS + 2 * EVERY_NS
    assert_equal (START_NS + 2 * EVERY_NS).to_s, feed.next_message
    # The last message has an interval like the others; the end of the second comes first.
    assert_equal EVERY_NS / 2, feed.wait_ns
    @now_ns += EVERY_NS
    assert_nil feed.wait_ns
  end

  def test_a_message_due_at_the_end_is_not_sent
    feed = make("sequence", every_ns: EVERY_NS, duration_ns: 2 * EVERY_NS)
    2.times do |number|
      @now_ns = START_NS + number * EVERY_NS
      assert_equal 0, feed.wait_ns
      assert_equal number.to_s, feed.next_message
    end
    assert_equal EVERY_NS, feed.wait_ns
    @now_ns += EVERY_NS
    assert_nil feed.wait_ns
  end

  def test_a_continuous_feed_ends_by_time_or_number
    feed = make("clock", duration_ns: 10)
    @now_ns += 9
    assert_equal 0, feed.wait_ns
    assert_equal (START_NS + 9).to_s, feed.next_message
    @now_ns += 1
    assert_nil feed.wait_ns
    feed = make("hello", messages: 1)
    feed.next_message
    assert_nil feed.wait_ns
  end

  def test_a_feed_without_subscribers_is_over
    feed = make("hello", messages: 5)
    @subscribed.clear
    assert_nil feed.wait_ns
  end

  def test_each_second_counts_the_sent_messages
    feed = make("hello", every_ns: 700_000_000, messages: 3)
    3.times do |number|
      @now_ns = START_NS + number * 700_000_000
      feed.wait_ns
      feed.next_message
    end
    @now_ns = START_NS + 3 * 700_000_000
    assert_nil feed.wait_ns
    feed.finish
    expected = [
      { "event" => "second", "second" => 0, "messages" => 4, "bytes" => 44 },
      { "event" => "second", "second" => 1, "messages" => 2, "bytes" => 22 },
      { "event" => "result", "messages" => 6, "bytes" => 66 }
    ]
    assert_equal expected, lines
  end

  def test_a_wait_ends_at_the_end_of_the_second_at_the_latest
    feed = make("hello", every_ns: 5 * SECOND_NS, messages: 2)
    feed.next_message
    assert_equal SECOND_NS, feed.wait_ns
    @now_ns += SECOND_NS
    assert_equal SECOND_NS, feed.wait_ns
    assert_equal 1, lines.size
  end

  def publish(feed, has_room: -> { true })
    received = []
    feed.publish(has_room: has_room, finally: -> { received << :over }) { |message| received << message }
    received
  end

  def test_a_scheduled_feed_uses_timers_and_does_not_wait_for_room
    received = publish(make("sequence", every_ns: EVERY_NS, messages: 2), has_room: -> { false })
    assert_equal ["0"], received
    left_ns, continue = @waiting.shift
    assert_equal EVERY_NS, left_ns
    @now_ns += EVERY_NS
    continue.call
    assert_equal %w[0 1], received
    @now_ns += EVERY_NS
    @waiting.shift.last.call
    assert_equal ["0", "1", :over], received
    assert_empty @waiting
  end

  def test_a_continuous_feed_waits_for_room
    rooms = [true, false, true, true]
    received = publish(make("sequence", messages: 3), has_room: -> { rooms.shift })
    assert_equal ["0"], received
    @waiting.shift.last.call
    assert_equal ["0", "1", "2", :over], received
  end

  def test_a_continuous_feed_lets_other_callbacks_run
    received = publish(make("sequence", messages: 100))
    assert_equal 64, received.size
    @waiting.shift.last.call
    assert_equal 101, received.size
  end

  def test_a_feed_starts_when_all_have_joined_also_for_the_next_group
    settings = FeedSettings.new(
      format: FeedFormat.new("hello", "json"), stocks: 1, subscribers: 2, messages: 1
    )
    feeds = []
    subscribers = Subscribers.new(settings) { |feed| feeds << feed }
    subscribers.join("a")
    assert_empty feeds
    output, = capture_io do
      leave = subscribers.join("b")
      subscribers.join("late")
      leave.call
      feeds.first.finish
    end
    assert_match(/"result"/, output)
    assert_equal [%w[a late]], feeds.map(&:subscribed)
    subscribers.join("c")
    subscribers.join("d")
    assert_equal %w[c d], feeds.last.subscribed
    assert_equal %w[a late], feeds.first.subscribed
  end

  def test_joining_without_a_feed_is_an_error
    assert_raises(ArgumentError) { Subscribers.new(nil).join("a") }
  end
end
