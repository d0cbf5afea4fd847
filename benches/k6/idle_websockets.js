// Like idle_ws.js, with k6/websockets: one virtual user has all sockets in one event loop.

import { WebSocket } from "k6/websockets";

const { URL, CONNECTIONS, OPENED_PER_S } = __ENV;

export const options = {
  scenarios: { idle: { executor: "per-vu-iterations", vus: 1, iterations: 1 } },
};

export default function idle() {
  const wanted = Number(CONNECTIONS);
  const sockets = [];
  let opened = 0;
  open();

  function open() {
    const socket = new WebSocket(URL);
    socket.onopen = () => {
      opened += 1;
      if (opened !== wanted) return;
      console.log(JSON.stringify({ event: "begin", connections: opened }));
    };
    sockets.push(socket);
    if (sockets.length < wanted) setTimeout(open, 1000 / OPENED_PER_S);
  }
}
