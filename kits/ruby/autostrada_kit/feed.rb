# Encodes and decodes the messages of a feed: docs/contract.md, section 7.

require_relative "variables"

module AutostradaKit
  # Raised for a message that is not a message of the feed.
  class WrongMessageError < StandardError; end

  # The sequence number and the time in a message; nil if its kind has none.
  Heading = Struct.new(:number, :time_ns)

  # One record of stocks.
  Stock = Struct.new(:open, :high, :low, :close, :volume) do
    # Returns the record as a JSON object; prices have two decimals.
    def to_json(*)
      Kernel.format('{"open":%.2f,"high":%.2f,"low":%.2f,"close":%.2f,"volume":%d}', *self)
    end

    # Parses the content of a CSV file; raises an ArgumentError if it is malformed.
    def self.parse_all(text)
      head, *lines = text.delete_suffix("\n").split("\n", -1)
      unless head == Stock::CSV_HEAD && lines.any?
        raise ArgumentError, "must have the line #{Stock::CSV_HEAD} at its head, and records"
      end
      lines.map { |line| parse(line) }
    end

    # Parses one line of a CSV file; raises an ArgumentError if it is malformed.
    def self.parse(line)
      match = Stock::CSV_LINE.match(line)
      raise ArgumentError, "has a line that is no record: #{line.inspect}" unless match

      *prices, volume = match.captures
      new(*prices.map(&:to_f), volume.to_i)
    end
  end
  Stock::CSV_HEAD = "date,open,high,low,close,volume".freeze
  Stock::CSV_LINE = /\A[^,]*#{',([0-9]{1,7}\.[0-9]{2})' * 4},([0-9]{1,15})\z/

  # The kind and the encoding of a feed's messages.
  #
  # A text message is a String in UTF-8. A binary message is a String in Encoding::BINARY or, as
  # some libraries deliver it, an Array of bytes.
  FeedFormat = Struct.new(:kind, :encoding) do
    # Reads the variables of a feed; returns nil if FEED is not set.
    def self.read_from(environment)
      return unless environment["FEED"]

      kind = Variables.read_choice(environment, "FEED", FeedFormat::KINDS)
      new(kind, Variables.read_choice(environment, "ENCODING", %w[json binary]))
    end

    # Returns whether a message contains its sequence number.
    def has_number?
      %w[sequence stocks].include?(kind)
    end

    # Returns whether a message contains a time.
    def has_instant?
      %w[clock stocks].include?(kind)
    end

    # Returns an encoded message. Only messages of kind stocks use the records.
    def encode(number, time_ns, stocks = [])
      is_text = encoding == "json"
      case kind
      when "hello" then is_text ? FeedFormat::GREETING : FeedFormat::GREETING.b
      when "stocks" then encode_stocks(number, time_ns, stocks)
      else
        value = kind == "sequence" ? number : time_ns
        is_text ? value.to_s.encode(Encoding::UTF_8) : [value].pack("Q>")
      end
    end

    # Returns the Heading of a message; raises a WrongMessageError if it is not of this feed.
    def decode(message)
      is_binary = message.is_a?(Array) || message.encoding == Encoding::BINARY
      raise WrongMessageError unless is_binary == (encoding == "binary")

      message = message.pack("C*") if message.is_a?(Array)
      heading = read(message)
      is_wrong = (heading.number || 0) >= 2**53 || (heading.time_ns || 0) >= 2**63
      raise WrongMessageError if is_wrong

      heading
    end

    private

    def encode_stocks(number, time_ns, stocks)
      if encoding == "json"
        records = stocks.map(&:to_json).join(",")
        return %({"sequence":#{number},"time_ns":#{time_ns},"stocks":[#{records}]})
      end
      head = [number, time_ns, stocks.size].pack("Q>Q>L>")
      stocks.each_with_object(head) { |stock, message| stock.to_a.pack("G4Q>", buffer: message) }
    end

    def read(message)
      case kind
      when "hello"
        raise WrongMessageError unless message == FeedFormat::GREETING

        Heading.new
      when "stocks" then encoding == "json" ? read_text(message) : read_binary(message)
      when "sequence" then Heading.new(read_value(message), nil)
      else Heading.new(nil, read_value(message))
      end
    end

    def read_value(message)
      if encoding == "json"
        raise WrongMessageError unless message.match?(FeedFormat::VALUE)

        message.to_i
      else
        raise WrongMessageError unless message.bytesize == 8

        message.unpack1("Q>")
      end
    end

    def read_text(message)
      match = FeedFormat::JSON_HEAD.match(message)
      raise WrongMessageError unless match && message.end_with?("]}")

      Heading.new(match[1].to_i, match[2].to_i)
    end

    def read_binary(message)
      raise WrongMessageError if message.bytesize < FeedFormat::HEAD_BYTES

      number, time_ns, records = message.unpack("Q>Q>L>")
      bytes = FeedFormat::HEAD_BYTES + FeedFormat::RECORD_BYTES * records
      raise WrongMessageError unless message.bytesize == bytes

      Heading.new(number, time_ns)
    end
  end
  FeedFormat::KINDS = %w[hello sequence clock stocks].freeze
  FeedFormat::GREETING = "hello world".freeze
  FeedFormat::HEAD_BYTES = 20
  FeedFormat::RECORD_BYTES = 40
  digits = "(0|[1-9][0-9]{0,18})"
  FeedFormat::VALUE = /\A#{digits}\z/
  FeedFormat::JSON_HEAD = /\A\{"sequence":#{digits},"time_ns":#{digits},"stocks":\[/
end
