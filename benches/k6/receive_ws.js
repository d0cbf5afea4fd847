// One socket: counts messages until the planned number is received.

import ws from "k6/ws";

const { URL, MESSAGES } = __ENV;

export const options = {
  scenarios: { receive: { executor: "per-vu-iterations", vus: 1, iterations: 1 } },
};

export default function receive() {
  const wanted = Number(MESSAGES);
  let messages = 0;
  let openedMs;
  ws.connect(URL, {}, (socket) => {
    socket.on("open", () => {
      openedMs = Date.now();
      console.log(JSON.stringify({ event: "begin" }));
    });
    socket.on("message", () => {
      messages += 1;
      if (messages < wanted) return;
      const durationMs = Date.now() - openedMs;
      console.log(JSON.stringify({ event: "end", messages, duration_ms: durationMs }));
      socket.close();
    });
  });
}
