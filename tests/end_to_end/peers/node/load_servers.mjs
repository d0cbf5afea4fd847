// Servers of several protocols, by their kind: each counts what it has received.

import { createServer } from "node:http";

import { WebSocketServer, createWebSocketStream } from "ws";

import { listen, settings } from "./peer.mjs";

const http = createServer();
const counts = { connections: 0, messages: 0 };
const sockets = new Set();
http.on("connection", (socket) => sockets.add(socket.on("close", () => sockets.delete(socket))));

/** Calls back with each connection of a WebSocket server. */
function onConnection(serve) {
  const server = new WebSocketServer({ server: http });
  server.on("connection", (socket, request) => {
    counts.connections += 1;
    serve(socket, request);
  });
}

/** Calls back with each message. */
function onMessage(answer) {
  onConnection((socket) => {
    socket.on("message", (message) => {
      counts.messages += 1;
      answer(socket, message.toString());
    });
  });
}

const KINDS = {
  echo() {
    onMessage((socket, message) => socket.send(message));
  },

  bun() {
    const websocket = {
      open: () => (counts.connections += 1),
      message(socket, message) {
        counts.messages += 1;
        socket.send(message);
      },
    };
    const fetch = (request, server) => (server.upgrade(request) ? undefined : new Response("?"));
    let server;
    return {
      listen(port, hostname, done) {
        server = Bun.serve({ port, hostname, fetch, websocket });
        done();
      },
      address: () => server,
    };
  },

  async socketio() {
    const { Server } = await import("socket.io");
    new Server(http).on("connection", (socket) => {
      counts.connections += 1;
      socket.on("message", (message) => {
        counts.messages += 1;
        socket.emit("message", message);
      });
    });
  },

  model() {
    onMessage((socket, message) => {
      const { id } = JSON.parse(message);
      for (let index = 0; index < 20; index += 1) socket.send(JSON.stringify({ id, index }));
      socket.send(JSON.stringify({ id, final: true }));
    });
  },

  async graphql() {
    const { useServer } = await import("graphql-ws/use/ws");
    const { buildSchema } = await import("graphql");
    const schema = buildSchema("type Query { none: Int } type Subscription { count: Int }");
    async function* count() {
      for (let value = 0; value < 3; value += 1) yield { count: value };
    }
    const hooks = {
      onConnect: () => void (counts.connections += 1),
      onComplete: () => void (counts.messages += 1),
    };
    const server = new WebSocketServer({ server: http, path: "/graphql" });
    useServer({ schema, roots: { subscription: { count } }, ...hooks }, server);
  },

  async mqtt() {
    const { Aedes } = await import("aedes");
    const broker = await Aedes.createBroker();
    broker.on("publish", (packet, client) => client && (counts.messages += 1));
    onConnection((socket, request) => {
      if (socket.protocol === "mqtt") broker.handle(createWebSocketStream(socket), request);
    });
  },

  /** The broker answers no receipts by itself. */
  async stomp() {
    const { default: Broker } = await import("stomp-broker-js");
    const { default: utils } = await import("stomp-broker-js/lib/stomp-utils.js");
    const broker = new Broker({ server: http, path: "/ws" });
    broker.on("connected", () => (counts.connections += 1));
    broker.addMiddleware("send", (socket, { frame }, next) => {
      counts.messages += 1;
      utils.sendCommand(socket, "RECEIPT", { "receipt-id": frame.headers.receipt });
      return next();
    });
  },

  /** Ends with a message of a second load, after one of a hundred messages. */
  crashes() {
    let open = 0;
    let isAnother = false;
    onConnection((socket) => {
      open += 1;
      socket.on("close", () => {
        open -= 1;
        isAnother ||= open === 0 && counts.messages >= 100;
      });
      socket.on("message", (message) => {
        if (isAnother) process.exit(1);
        counts.messages += 1;
        socket.send(message.toString());
      });
    });
  },
};

const server = (await KINDS[settings.kind]()) ?? http;
const scheme = settings.kind === "socketio" ? "http" : "ws";
listen(server, scheme, () => sockets.size, () => counts);
