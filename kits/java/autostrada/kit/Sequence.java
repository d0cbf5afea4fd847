// Checks the order of the sequence numbers of a connection: docs/contract.md, clause 7.3.

package autostrada.kit;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/** The sequence numbers of one connection, and the number of messages per verdict. */
final class Sequence {
    private static final int REMEMBERED = 128;
    private static final long GAP_MAX = 1L << 32;
    private static final long NONE = -1;

    enum Verdict {
        IN_ORDER,
        GAP,
        DUPLICATE,
        REORDERED,
        UNEXPECTED
    }

    private final long[] given = new long[Verdict.values().length];
    private long missing;
    private long first = NONE;
    private long next;
    // At index n % REMEMBERED: whether number n has arrived or precedes the first number.
    private final boolean[] received = new boolean[REMEMBERED];
    private boolean hasForgotten;

    Sequence() {
        Arrays.fill(received, true);
    }

    /** Classifies a number and counts the verdict. */
    Verdict check(long number) {
        if (first == NONE) {
            first = number;
            next = number;
        }
        Verdict verdict = judge(number);
        given[verdict.ordinal()] += 1;
        switch (verdict) {
            case IN_ORDER, GAP -> {
                missing += number - next;
                advance(number);
            }
            case REORDERED -> {
                missing = Math.max(0, missing - 1);
                received[slot(number)] = true;
            }
            default -> {}
        }
        return verdict;
    }

    /** Returns the counts by verdict. */
    Map<String, Long> counts() {
        Map<String, Long> counts = new LinkedHashMap<>();
        counts.put("in_order", count(Verdict.IN_ORDER));
        counts.put("gaps", count(Verdict.GAP));
        counts.put("missing", missing);
        counts.put("duplicates", count(Verdict.DUPLICATE));
        counts.put("reordered", count(Verdict.REORDERED));
        counts.put("unexpected", count(Verdict.UNEXPECTED));
        return counts;
    }

    private long count(Verdict verdict) {
        return given[verdict.ordinal()];
    }

    private Verdict judge(long number) {
        long ahead = number - next;
        if (ahead == 0) {
            return Verdict.IN_ORDER;
        }
        if (ahead > 0) {
            return ahead <= GAP_MAX ? Verdict.GAP : Verdict.UNEXPECTED;
        }
        if (number < first) {
            return Verdict.UNEXPECTED;
        }
        if (-ahead > REMEMBERED) {
            return hasForgotten ? Verdict.UNEXPECTED : Verdict.DUPLICATE;
        }
        return received[slot(number)] ? Verdict.DUPLICATE : Verdict.REORDERED;
    }

    /** Advances to a number that has arrived. */
    private void advance(long number) {
        if (number - next >= REMEMBERED) {
            hasForgotten = true;
        }
        for (long each = Math.max(next, number - REMEMBERED + 1); each <= number; each++) {
            hasForgotten |= !received[slot(each)];
            received[slot(each)] = each == number;
        }
        next = number + 1;
    }

    private static int slot(long number) {
        return (int) (number % REMEMBERED);
    }
}
