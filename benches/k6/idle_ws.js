// One idle socket in each virtual user, because k6/ws blocks until the socket is closed.

import { sleep } from "k6";
import ws from "k6/ws";

const { URL, CONNECTIONS, OPENED_PER_S } = __ENV;

export const options = {
  scenarios: {
    idle: { executor: "per-vu-iterations", vus: Number(CONNECTIONS), iterations: 1 },
  },
};

export default function idle() {
  sleep((__VU - 1) / OPENED_PER_S);
  ws.connect(URL, {}, (socket) => {
    socket.on("open", () => {
      console.log(JSON.stringify({ event: "begin", connections: 1 }));
    });
  });
}
