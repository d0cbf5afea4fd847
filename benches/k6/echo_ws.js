// Closed loop with one message in flight on each socket, until the program is killed.
// It compares each echo and records its response time, as the engine does.
//
// Each virtual user has one socket, because k6/ws blocks until the socket is closed.

import { Trend } from "k6/metrics";
import ws from "k6/ws";

const TEXT = "T".repeat(20);
const { URL, CONNECTIONS } = __ENV;
const responseTime = new Trend("response_time", true);

// k6 aggregates the metrics but does not show them.
export function handleSummary() {
  return {};
}

export const options = {
  scenarios: {
    echo: { executor: "per-vu-iterations", vus: Number(CONNECTIONS), iterations: 1, maxDuration: "1h" },
  },
};

export default function echo() {
  let sentMs;
  ws.connect(URL, {}, (socket) => {
    socket.on("open", send);
    socket.on("message", (text) => {
      if (text !== TEXT) throw new Error(`wrong: ${text}`);
      responseTime.add(Date.now() - sentMs);
      send();
    });

    function send() {
      sentMs = Date.now();
      socket.send(TEXT);
    }
  });
}
