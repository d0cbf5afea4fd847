// One message in flight on each socket: sends when answered, counts what comes back in the window.
//
// One virtual user has one socket: k6/ws keeps its function until the socket is closed. The
// counts are of one virtual user each, and are printed once.

import ws from "k6/ws";

const TEXT = "hello world";
const { URL, CONNECTIONS, WARM_UP_S, WINDOW_S } = __ENV;

export const options = {
  scenarios: {
    echo: { executor: "per-vu-iterations", vus: Number(CONNECTIONS), iterations: 1 },
  },
};

export default function echo() {
  let echoed = 0;
  let startedMs;
  ws.connect(URL, {}, (socket) => {
    socket.on("open", () => {
      socket.setTimeout(begin, WARM_UP_S * 1000);
      socket.send(TEXT);
    });
    socket.on("message", () => {
      echoed += 1;
      socket.send(TEXT);
    });

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
