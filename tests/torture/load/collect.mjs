// Preloaded into a site and each of its threads. Runs a full garbage collection on SIGUSR2.
import inspector from "node:inspector";
import { BroadcastChannel, isMainThread } from "node:worker_threads";

const session = new inspector.Session();
session.connect();
const collect = () => session.post("HeapProfiler.collectGarbage");
const threads = new BroadcastChannel("collect");
if (isMainThread) {
  process.on("SIGUSR2", () => {
    threads.postMessage(undefined);
    collect();
  });
} else threads.onmessage = collect;
threads.unref();
