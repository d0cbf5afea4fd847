// Functions of the scenarios. All virtual users are in one worker thread, and share these variables.
// Counts the messages of a window, which begins after a warm-up when all sockets are open.

"use strict";

const { CONNECTIONS, WARM_UP_S, WINDOW_S } = process.env;
const wanted = Number(CONNECTIONS);
let opened = 0;
let closed = 0;
let exchanged = 0;
let startedMs;
let result;

function open(context, events, next) {
  opened += 1;
  if (opened === wanted) setTimeout(begin, WARM_UP_S * 1000);
  next();
}

function begin() {
  exchanged = 0;
  startedMs = performance.now();
  console.log(JSON.stringify({ event: "begin" }));
  setTimeout(end, WINDOW_S * 1000);
}

function end() {
  result = { event: "end", messages: exchanged, duration_ms: performance.now() - startedMs };
}

// Called after each message.
function continues(context, next) {
  exchanged += 1;
  next(result === undefined);
}

// A virtual user that fails does not get here, so that there is no result without all of them.
function close(context, events, next) {
  closed += 1;
  if (closed === wanted) console.log(JSON.stringify(result));
  next();
}

function hold(context, events, next) {
  opened += 1;
  if (opened === wanted) console.log(JSON.stringify({ event: "begin", connections: opened }));
  next();
}

module.exports = { open, continues, close, hold };
