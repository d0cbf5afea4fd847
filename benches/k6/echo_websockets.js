// Like echo_ws.js, with k6/websockets: one virtual user has all sockets in one event loop.

import { Trend } from "k6/metrics";
import { WebSocket } from "k6/websockets";

const TEXT = "T".repeat(20);
const { URL, CONNECTIONS } = __ENV;
const responseTime = new Trend("response_time", true);

export function handleSummary() {
  return {};
}

export const options = {
  scenarios: { echo: { executor: "per-vu-iterations", vus: 1, iterations: 1, maxDuration: "1h" } },
};

export default function echo() {
  for (let index = 0; index < Number(CONNECTIONS); index += 1) {
    const socket = new WebSocket(URL);
    let sentMs;
    const send = () => {
      sentMs = Date.now();
      socket.send(TEXT);
    };
    socket.onopen = send;
    socket.onmessage = ({ data }) => {
      if (data !== TEXT) throw new Error(`wrong: ${data}`);
      responseTime.add(Date.now() - sentMs);
      send();
    };
  }
}
