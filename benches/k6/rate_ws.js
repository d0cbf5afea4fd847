// Open loop: each virtual user has one socket and sends a message every EVERY_MS, whether or not the
// last one is answered. The messages of all virtual users are evenly spaced.
//
// Prints the median time from sending a message until its echo is received, from a metric. The clock
// is that of the test run, which has nanoseconds; Date has milliseconds.

import exec from "k6/execution";
import { Trend } from "k6/metrics";
import ws from "k6/ws";

const TEXT = "hello world";
const { URL, CONNECTIONS, WARM_UP_S, WINDOW_S } = __ENV;
const EVERY_MS = Number(__ENV.EVERY_MS);
const responseTime = new Trend("response_time", true);

export function handleSummary(data) {
  const { med, count } = data.metrics.response_time.values;
  return { stdout: `${JSON.stringify({ event: "end", median_ms: med, messages: count })}\n` };
}

export const options = {
  scenarios: {
    rate: { executor: "per-vu-iterations", vus: Number(CONNECTIONS), iterations: 1 },
  },
  summaryTrendStats: ["med", "count"],
};

export default function rate() {
  const run = exec.instance;
  const sentMs = []; // of the messages that are not answered
  let counts = false;
  ws.connect(URL, {}, (socket) => {
    socket.on("open", () => {
      const phaseMs = ((__VU - 1) * EVERY_MS) / CONNECTIONS;
      const sinceDueMs = (run.currentTestRunDuration + EVERY_MS - phaseMs) % EVERY_MS;
      socket.setTimeout(start, EVERY_MS - sinceDueMs);
      socket.setTimeout(begin, WARM_UP_S * 1000);
    });
    socket.on("message", (text) => {
      const tookMs = run.currentTestRunDuration - sentMs.shift();
      if (text !== TEXT) throw new Error(`wrong: ${text}`);
      if (counts) responseTime.add(tookMs);
    });

    function start() {
      socket.setInterval(send, EVERY_MS);
      send();
    }

    function send() {
      sentMs.push(run.currentTestRunDuration);
      socket.send(TEXT);
    }

    function begin() {
      counts = true;
      socket.setTimeout(() => socket.close(), WINDOW_S * 1000);
    }
  });
}
