// The smallest program that receives with the WebSocket of Node.js.

const messages = Number(process.env.MESSAGES);
const ws = new WebSocket(process.env.URL);
let count = 0;

ws.addEventListener("message", ({ data }) => {
  if (data) count += 1;
  if (count === messages) ws.close(1000);
});
