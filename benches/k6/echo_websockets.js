// Like echo_ws.js, with k6/websockets: one virtual user has all sockets in one event loop.

import { Trend } from "k6/metrics";
import { WebSocket } from "k6/websockets";

const TEXT = "hello world";
const { URL, CONNECTIONS, WARM_UP_S, WINDOW_S } = __ENV;
const CHECKS = __ENV.WORK === "check";
const responseTime = new Trend("response_time", true);

export function handleSummary() {
  return {};
}

export const options = {
  scenarios: { echo: { executor: "per-vu-iterations", vus: 1, iterations: 1 } },
};

export default function echo() {
  const sockets = [];
  let opened = 0;
  let echoed = 0;
  let startedMs;
  while (sockets.length < Number(CONNECTIONS)) {
    const socket = new WebSocket(URL);
    let sentMs;
    const send = () => {
      if (CHECKS) sentMs = Date.now();
      socket.send(TEXT);
    };
    socket.onopen = () => {
      opened += 1;
      if (opened === sockets.length) setTimeout(begin, WARM_UP_S * 1000);
      send();
    };
    socket.onmessage = ({ data }) => {
      if (CHECKS) {
        if (data !== TEXT) throw new Error(`wrong: ${data}`);
        responseTime.add(Date.now() - sentMs);
      }
      echoed += 1;
      send();
    };
    sockets.push(socket);
  }

  function begin() {
    echoed = 0;
    startedMs = Date.now();
    console.log(JSON.stringify({ event: "begin" }));
    setTimeout(end, WINDOW_S * 1000);
  }

  function end() {
    const durationMs = Date.now() - startedMs;
    console.log(JSON.stringify({ event: "end", messages: echoed, duration_ms: durationMs }));
    for (const socket of sockets) socket.close();
  }
}
