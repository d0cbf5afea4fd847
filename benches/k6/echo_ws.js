// One message in flight on each socket: sends when answered, counts what comes back in the window.
// With WORK=check it also compares each answer and keeps its response time, as the engine does.
//
// One virtual user has one socket: k6/ws keeps its function until the socket is closed. The
// counts are of one virtual user each, and are printed once.

import { Trend } from "k6/metrics";
import ws from "k6/ws";

const TEXT = "hello world";
const { URL, CONNECTIONS, WARM_UP_S, WINDOW_S } = __ENV;
const CHECKS = __ENV.WORK === "check";
const responseTime = new Trend("response_time", true);

// The metrics are summed up, and not shown.
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
