// Checks the order of the sequence numbers of a connection: docs/contract.md, clause 7.3.

using System;
using System.Linq;

namespace Autostrada.Kit
{
    public enum Verdict { InOrder, Gap, Duplicate, Reordered, Unexpected }

    /// <summary>Number of messages per verdict.</summary>
    public sealed class Verdicts
    {
        public long InOrder;
        public long Gaps;
        public long Missing;
        public long Duplicates;
        public long Reordered;
        public long Unexpected;

        /// <summary>Adds the counts of another object.</summary>
        public void Merge(Verdicts other)
        {
            InOrder += other.InOrder;
            Gaps += other.Gaps;
            Missing += other.Missing;
            Duplicates += other.Duplicates;
            Reordered += other.Reordered;
            Unexpected += other.Unexpected;
        }

        /// <summary>Returns the counts as a JSON object.</summary>
        public string ToJson()
        {
            return $"{{\"in_order\":{InOrder},\"gaps\":{Gaps},\"missing\":{Missing},"
                + $"\"duplicates\":{Duplicates},\"reordered\":{Reordered},\"unexpected\":{Unexpected}}}";
        }
    }

    /// <summary>The sequence numbers of one connection.</summary>
    public sealed class Sequence
    {
        const int Remembered = 128;
        const long GapMax = 1L << 32;

        public readonly Verdicts Verdicts = new Verdicts();

        // At index n % Remembered: whether number n has arrived or precedes the first number.
        readonly bool[] _received = Enumerable.Repeat(true, Remembered).ToArray();
        long? _first;
        long _next;
        bool _hasForgotten;

        /// <summary>Classifies a number and counts the verdict.</summary>
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
                    _received[number % Remembered] = true;
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
            return _received[number % Remembered] ? Verdict.Duplicate : Verdict.Reordered;
        }

        /// <summary>Advances to a number that has arrived.</summary>
        void Advance(long number)
        {
            _hasForgotten |= number - _next + 1 > Remembered;
            for (var left = Math.Max(_next, number - Remembered + 1); left <= number; left += 1)
            {
                _hasForgotten |= !_received[left % Remembered];
                _received[left % Remembered] = left == number;
            }
            _next = number + 1;
        }
    }
}
