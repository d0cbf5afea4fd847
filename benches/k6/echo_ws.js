// Closed loop with one message in flight on each socket; counts the echoes within the window.
// With WORK=check it also compares each echo and records its response time, as the engine does.
//
// Each virtual user has one socket, because k6/ws blocks until the socket is closed. The counts
// of each virtual user are printed once.

import { Trend } from "k6/metrics";
import ws from "k6/ws";

const TEXT = "hello world";
const { URL, CONNECTIONS, WARM_UP_S, WINDOW_S } = __ENV;
const CHECKS = __ENV.WORK === "check";
const responseTime = new Trend("response_time", true);

// k6 aggregates the metrics but does not show them.
export function handleSummary() {
  return {};
}

export const options = {
  scenarios: {
    echo: { executor: "per-vu-iterations", vus: Number(CONNECTIONS), iterations: 1 },
  },
};

export default function echo() {
  let echoed = 0;
  let startedMs;
  let sentMs;
  ws.connect(URL, {}, (socket) => {
    socket.on("open", () => {
      socket.setTimeout(begin, WARM_UP_S * 1000);
      send();
    });
    socket.on("message", (text) => {
      if (CHECKS) {
        if (text !== TEXT) throw new Error(`wrong: ${text}`);
        responseTime.add(Date.now() - sentMs);
      }
      echoed += 1;
      send();
    });

    function send() {
      if (CHECKS) sentMs = Date.now();
      socket.send(TEXT);
    }

    function begin() {
      echoed = 0;
      startedMs = Date.now();
      console.log(JSON.stringify({ event: "begin" }));
      socket.setTimeout(end, WINDOW_S * 1000);
    }

    function end() {
      const durationMs = Date.now() - startedMs;
      console.log(JSON.stringify({ event: "end", messages: echoed, duration_ms: durationMs }));
      socket.close();
    }
  });
}
