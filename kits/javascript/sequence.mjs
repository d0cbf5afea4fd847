// Checks the order of the sequence numbers of a connection: docs/contract.md, clause 7.3.

const REMEMBERED = 128;
const GAP_MAX = 2 ** 32;
// Verdicts whose counts have another key.
const COUNTED_AS = { gap: "gaps", duplicate: "duplicates" };

/** Returns counts by verdict, all zero. */
export function noVerdicts() {
  return { in_order: 0, gaps: 0, missing: 0, duplicates: 0, reordered: 0, unexpected: 0 };
}

/** The sequence numbers of one connection, and the number of messages per verdict. */
export class Sequence {
  counts = noVerdicts();
  #first;
  #next = 0;
  // At index n % REMEMBERED: whether number n has arrived or precedes the first number.
  #received = new Uint8Array(REMEMBERED).fill(1);
  #hasForgotten = false;

  /** Classifies a number and counts the verdict. */
  check(number) {
    if (this.#first === undefined) this.#first = this.#next = number;
    const verdict = this.#judge(number);
    this.counts[COUNTED_AS[verdict] ?? verdict] += 1;
    if (verdict === "gap") this.counts.missing += number - this.#next;
    if (verdict === "reordered") {
      this.counts.missing = Math.max(0, this.counts.missing - 1);
      this.#received[number % REMEMBERED] = 1;
    }
    if (verdict === "in_order" || verdict === "gap") this.#advance(number);
    return verdict;
  }

  #judge(number) {
    const ahead = number - this.#next;
    if (ahead === 0) return "in_order";
    if (ahead > 0) return ahead <= GAP_MAX ? "gap" : "unexpected";
    if (number < this.#first) return "unexpected";
    if (-ahead > REMEMBERED) return this.#hasForgotten ? "unexpected" : "duplicate";
    return this.#received[number % REMEMBERED] ? "duplicate" : "reordered";
  }

  /** Advances to a number that has arrived. */
  #advance(number) {
    const step = number - this.#next + 1;
    if (step > REMEMBERED) this.#hasForgotten = true;
    for (let left = Math.max(this.#next, number - REMEMBERED + 1); left <= number; left += 1) {
      if (!this.#received[left % REMEMBERED]) this.#hasForgotten = true;
      this.#received[left % REMEMBERED] = left === number ? 1 : 0;
    }
    this.#next = number + 1;
  }
}
