// Checks the order of the sequence numbers of a connection: docs/contract.md, clause 7.3.

#pragma once

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>

namespace kit {

enum class Verdict { in_order, gap, duplicate, reordered, unexpected };

// Number of messages per verdict.
struct Verdicts {
    std::uint64_t in_order = 0;
    std::uint64_t gaps = 0;
    std::uint64_t missing = 0;
    std::uint64_t duplicates = 0;
    std::uint64_t reordered = 0;
    std::uint64_t unexpected = 0;

    void merge(Verdicts const& other) {
        in_order += other.in_order;
        gaps += other.gaps;
        missing += other.missing;
        duplicates += other.duplicates;
        reordered += other.reordered;
        unexpected += other.unexpected;
    }

    // Writes a JSON object.
    friend std::ostream& operator<<(std::ostream& output, Verdicts const& verdicts) {
        return output << R"({"in_order":)" << verdicts.in_order   //
                      << R"(,"gaps":)" << verdicts.gaps           //
                      << R"(,"missing":)" << verdicts.missing     //
                      << R"(,"duplicates":)" << verdicts.duplicates     //
                      << R"(,"reordered":)" << verdicts.reordered //
                      << R"(,"unexpected":)" << verdicts.unexpected << '}';
    }
};

// The sequence numbers of one connection.
class Sequence {
public:
    Verdicts const& counts() const { return counts_; }

    // Classifies a number and counts the verdict.
    Verdict check(std::uint64_t number) {
        if (!first_) first_ = next_ = number;
        auto const verdict = judge(number);
        switch (verdict) {
            case Verdict::in_order:
                ++counts_.in_order;
                advance(1);
                break;
            case Verdict::gap:
                ++counts_.gaps;
                counts_.missing += number - next_;
                advance(number - next_ + 1);
                break;
            case Verdict::duplicate:
                ++counts_.duplicates;
                break;
            case Verdict::reordered:
                ++counts_.reordered;
                if (counts_.missing > 0) --counts_.missing;
                received_.set(next_ - 1 - number);
                break;
            case Verdict::unexpected:
                ++counts_.unexpected;
                break;
        }
        return verdict;
    }

private:
    static constexpr std::size_t remembered = 128;
    static constexpr std::uint64_t gap_max = std::uint64_t{1} << 32;

    Verdict judge(std::uint64_t number) const {
        if (number == next_) return Verdict::in_order;
        if (number > next_) return number - next_ <= gap_max ? Verdict::gap : Verdict::unexpected;
        if (number < *first_) return Verdict::unexpected;
        auto const behind = next_ - number;
        if (behind > remembered) return has_forgotten_ ? Verdict::unexpected : Verdict::duplicate;
        return received_[behind - 1] ? Verdict::duplicate : Verdict::reordered;
    }

    // Advances by step numbers, of which only the last has arrived.
    void advance(std::uint64_t step) {
        next_ += step;
        auto const shift = static_cast<std::size_t>(std::min<std::uint64_t>(step, remembered));
        auto const left = received_ >> (remembered - shift);
        if (left.count() != shift || step > remembered) has_forgotten_ = true;
        received_ <<= shift;
        received_.set(0);
    }

    Verdicts counts_;
    std::optional<std::uint64_t> first_;
    std::uint64_t next_ = 0;
    // Bit b: the number next_ - 1 - b has arrived, or precedes the first number.
    std::bitset<remembered> received_ = std::bitset<remembered>{}.set();
    bool has_forgotten_ = false;
};

}  // namespace kit
