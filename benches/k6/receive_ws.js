// One socket: counts messages until the planned number is received.

import ws from "k6/ws";

const { URL, MESSAGES } = __ENV;

export const options = {
  scenarios: { receive: { executor: "per-vu-iterations", vus: 1, iterations: 1 } },
};

export default function receive() {
  const wanted = Number(MESSAGES);
  let messages = 0;
  ws.connect(URL, {}, (socket) => {
    socket.on("open", () => console.log("begin"));
    socket.on("message", () => {
      messages += 1;
      if (messages < wanted) return;
      console.log("end");
      socket.close();
    });
  });
}
