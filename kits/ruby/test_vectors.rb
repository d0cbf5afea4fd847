# Tests with the test vectors that all kits share.

require "json"
require "minitest/autorun"

require "autostrada_kit"

class VectorsTest < Minitest::Test
  include AutostradaKit

  KITS = File.dirname(__dir__)
  VECTORS = JSON.parse(File.read("#{KITS}/vectors.json", encoding: "UTF-8"))

  def message_of(given)
    given["text"] || [given["hex"]].pack("H*")
  end

  def test_messages_are_encoded_and_decoded
    VECTORS["feeds"].each do |given|
      feed = FeedFormat.new(given["kind"], given["encoding"])
      number = given["number"].to_i
      time_ns = given["time_ns"].to_i
      file = given["kind"] == "stocks" ? "#{KITS}/stocks.csv" : nil
      settings = FeedSettings.new(format: feed, stocks: given["stocks"], stocks_file: file)
      message = feed.encode(number, time_ns, settings.stocks_of_message(number))
      assert_equal message_of(given), message
      assert_equal message_of(given).encoding, message.encoding
      heading = feed.decode(message_of(given))
      assert_equal [feed.has_number? ? number : nil, feed.has_instant? ? time_ns : nil], heading.to_a
      assert_equal heading, feed.decode(message.bytes) if feed.encoding == "binary"
    end
  end

  def test_a_message_that_is_not_of_the_feed_is_wrong
    VECTORS["wrong"].each do |given|
      feed = FeedFormat.new(given["kind"], given["encoding"])
      assert_raises(WrongMessageError, given.inspect) { feed.decode(message_of(given)) }
    end
  end

  def test_numbers_get_their_verdicts
    VECTORS["sequences"].each do |given|
      sequence = Sequence.new
      verdicts = given["numbers"].map { |number| sequence.check(number).to_s }
      assert_equal given["verdicts"], verdicts, given["name"]
      assert_equal given["counts"], sequence.counts.transform_keys(&:to_s), given["name"]
    end
  end

  def test_latencies_are_rounded
    VECTORS["roundings"].each do |given, rounded|
      latencies = Latencies.new
      latencies.record(given.to_i)
      assert_equal({ rounded.to_i => 1 }, latencies.counts)
    end
  end
end
