# Checks the order of the sequence numbers of a connection: docs/contract.md, clause 7.3.

module AutostradaKit
  # The sequence numbers of one connection, and the number of messages per verdict.
  class Sequence
    REMEMBERED = 128
    GAP_MAX = 2**32
    VERDICTS = %i[in_order gaps missing duplicates reordered unexpected].freeze

    attr_reader :counts

    def initialize
      @counts = VERDICTS.to_h { |verdict| [verdict, 0] }
      @first = nil
      @next = 0
      # At index n % REMEMBERED: whether number n has arrived or precedes the first number.
      @received = Array.new(REMEMBERED, true)
      @has_forgotten = false
    end

    # Classifies a number and counts the verdict.
    def check(number)
      @first = @next = number unless @first
      verdict = judge(number)
      case verdict
      when :in_order
        @counts[:in_order] += 1
        advance(number)
      when :gap
        @counts[:gaps] += 1
        @counts[:missing] += number - @next
        advance(number)
      when :reordered
        @counts[:reordered] += 1
        @counts[:missing] -= 1 if @counts[:missing].positive?
        @received[number % REMEMBERED] = true
      when :duplicate
        @counts[:duplicates] += 1
      else
        @counts[:unexpected] += 1
      end
      verdict
    end

    private

    def judge(number)
      ahead = number - @next
      return :in_order if ahead.zero?
      return ahead <= GAP_MAX ? :gap : :unexpected if ahead.positive?
      return :unexpected if number < @first
      return @has_forgotten ? :unexpected : :duplicate if -ahead > REMEMBERED

      @received[number % REMEMBERED] ? :duplicate : :reordered
    end

    # Advances to a number that has arrived.
    def advance(number)
      @has_forgotten = true if number - @next + 1 > REMEMBERED
      [@next, number - REMEMBERED + 1].max.upto(number) do |left|
        @has_forgotten = true unless @received[left % REMEMBERED]
        @received[left % REMEMBERED] = left == number
      end
      @next = number + 1
    end
  end
end
