// Runs a server as several processes that share one port.

import cluster from "node:cluster";

/** Calls `serve` in this process or, with several workers, once in each child process. */
export function runWorkers(workers, serve) {
  if (workers === 1 || cluster.isWorker) {
    serve();
    return;
  }
  process.on("SIGTERM", endAll);
  for (let worker = 0; worker < workers; worker += 1) cluster.fork();
  cluster.on("exit", () => {
    endAll();
    if (Object.keys(cluster.workers).length === 0) {
      console.error("the workers have ended");
      process.exit(1);
    }
  });
}

function endAll() {
  for (const worker of Object.values(cluster.workers)) worker.process.kill("SIGKILL");
}
