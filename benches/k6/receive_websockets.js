// Like receive_ws.js, with k6/websockets.

import { WebSocket } from "k6/websockets";

const { URL, MESSAGES } = __ENV;

export const options = {
  scenarios: { receive: { executor: "per-vu-iterations", vus: 1, iterations: 1 } },
};

export default function receive() {
  const wanted = Number(MESSAGES);
  const socket = new WebSocket(URL);
  let messages = 0;
  socket.onopen = () => console.log("begin");
  socket.onmessage = () => {
    messages += 1;
    if (messages !== wanted) return;
    console.log("end");
    socket.close();
  };
}
