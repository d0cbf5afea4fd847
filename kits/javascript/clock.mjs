// The clock for all timestamps: CLOCK_MONOTONIC, in nanoseconds.

const CLOCK_MONOTONIC = 1;
const SECOND_NS = 1_000_000_000n;

/** Returns the present as a BigInt, in nanoseconds. */
export const nowNs = process.versions.bun ? await clockOfBun() : process.hrtime.bigint;

/** Calls the C library, because Bun's `process.hrtime` starts at 0 with the process. */
async function clockOfBun() {
  const { dlopen } = await import("bun:ffi");
  const { symbols } = dlopen("libc.so.6", {
    clock_gettime: { args: ["i32", "ptr"], returns: "i32" },
  });
  // Seconds and nanoseconds.
  const time = new BigInt64Array(2);
  return () => {
    symbols.clock_gettime(CLOCK_MONOTONIC, time);
    return time[0] * SECOND_NS + time[1];
  };
}
