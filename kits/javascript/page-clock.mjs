// The clock of a page: CLOCK_MONOTONIC in nanoseconds, as the program reads it. A page in a browser
// gets this file in place of clock.mjs, which needs Node.js.

const EXCHANGES = 10;
const MILLISECOND_NS = 1_000_000;

/** Returns the instant on the page's own clock, in nanoseconds. */
const ownNs = () => BigInt(Math.round(performance.now() * MILLISECOND_NS));

// The program's clock is read after the page's, by at most the duration of an exchange. The least
// difference is therefore the best; the page's instants are late by that duration, and never early.
let differenceNs;
for (let exchange = 0; exchange < EXCHANGES; exchange += 1) {
  const askedNs = ownNs();
  const answer = await fetch("/clock");
  const readNs = BigInt(await answer.text());
  if (differenceNs === undefined || readNs - askedNs < differenceNs) {
    differenceNs = readNs - askedNs;
  }
}

/** Returns the present as a BigInt, in nanoseconds. */
export const nowNs = () => ownNs() + differenceNs;
