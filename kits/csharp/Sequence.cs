// Are the numbers of a connection's messages in order? docs/contract.md, clause 7.3.

using System;
using System.Linq;

namespace Autostrada.Kit
{
    public enum Verdict { InOrder, Gap, Duplicate, Reordered, Unexpected }

    /// <summary>How often each verdict was given.</summary>
    public sealed class Verdicts
    {
        public long InOrder;
        public long Gaps;
        public long Missing;
        public long Duplicates;
        public long Reordered;
        public long Unexpected;

        /// <summary>Adds what another one has counted.</summary>
        public void Merge(Verdicts other)
        {
            InOrder += other.InOrder;
            Gaps += other.Gaps;
            Missing += other.Missing;
            Duplicates += other.Duplicates;
            Reordered += other.Reordered;
            Unexpected += other.Unexpected;
        }

        /// <summary>Returns them as a JSON object.</summary>
        public string ToJson()
        {
            return $"{{\"in_order\":{InOrder},\"gaps\":{Gaps},\"missing\":{Missing},"
                + $"\"duplicates\":{Duplicates},\"reordered\":{Reordered},\"unexpected\":{Unexpected}}}";
        }
    }

    /// <summary>The numbers of one connection.</summary>
    public sealed class Sequence
    {
        const int Remembered = 128;
        const long GapMax = 1L << 32;

        public readonly Verdicts Verdicts = new Verdicts();

        // At n % Remembered: whether the number n has come, or is from before the first.
        readonly bool[] _came = Enumerable.Repeat(true, Remembered).ToArray();
        long? _first;
        long _next;
        bool _hasForgotten;

        /// <summary>Judges a number, and counts the verdict.</summary>
        public Verdict Check(long number)
        {
            if (_first == null)
            {
                _first = _next = number;
            }
            var verdict = Judge(number);
            switch (verdict)
            {
                case Verdict.InOrder:
                    Verdicts.InOrder += 1;
                    Advance(number);
                    break;
                case Verdict.Gap:
                    Verdicts.Gaps += 1;
                    Verdicts.Missing += number - _next;
                    Advance(number);
                    break;
                case Verdict.Reordered:
                    Verdicts.Reordered += 1;
                    Verdicts.Missing = Math.Max(0, Verdicts.Missing - 1);
                    _came[number % Remembered] = true;
                    break;
                case Verdict.Duplicate:
                    Verdicts.Duplicates += 1;
                    break;
                default:
                    Verdicts.Unexpected += 1;
                    break;
            }
            return verdict;
        }

        Verdict Judge(long number)
        {
            var ahead = number - _next;
            if (ahead == 0)
            {
                return Verdict.InOrder;
            }
            if (ahead > 0)
            {
                return ahead <= GapMax ? Verdict.Gap : Verdict.Unexpected;
            }
            if (number < _first)
            {
                return Verdict.Unexpected;
            }
            if (-ahead > Remembered)
            {
                return _hasForgotten ? Verdict.Unexpected : Verdict.Duplicate;
            }
            return _came[number % Remembered] ? Verdict.Duplicate : Verdict.Reordered;
        }

        /// <summary>Goes on to a number, which has come.</summary>
        void Advance(long number)
        {
            _hasForgotten |= number - _next + 1 > Remembered;
            for (var left = Math.Max(_next, number - Remembered + 1); left <= number; left += 1)
            {
                _hasForgotten |= !_came[left % Remembered];
                _came[left % Remembered] = left == number;
            }
            _next = number + 1;
        }
    }
}
