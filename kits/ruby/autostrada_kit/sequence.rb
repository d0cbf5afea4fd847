# Are the numbers of a connection's messages in order? docs/contract.md, clause 7.3.

module AutostradaKit
  # The numbers of one connection, and how often each verdict was given.
  class Sequence
    REMEMBERED = 128
    GAP_MAX = 2**32
    VERDICTS = %i[in_order gaps missing duplicates reordered unexpected].freeze

    attr_reader :counts

    def initialize
      @counts = VERDICTS.to_h { |verdict| [verdict, 0] }
      @first = nil
      @next = 0
      # At n % REMEMBERED: whether the number n has come, or is from before the first.
      @came = Array.new(REMEMBERED, true)
      @has_forgotten = false
    end

    # Judges a number, and counts the verdict.
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
        @came[number % REMEMBERED] = true
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

      @came[number % REMEMBERED] ? :duplicate : :reordered
    end

    # Goes on to a number, which has come.
    def advance(number)
      @has_forgotten = true if number - @next + 1 > REMEMBERED
      [@next, number - REMEMBERED + 1].max.upto(number) do |left|
        @has_forgotten = true unless @came[left % REMEMBERED]
        @came[left % REMEMBERED] = left == number
      end
      @next = number + 1
    end
  end
end
