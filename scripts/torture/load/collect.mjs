// Loaded into a site before everything else: it collects all garbage when SIGUSR2 says so.
import inspector from "node:inspector";
import { isMainThread } from "node:worker_threads";

if (isMainThread) {
  const session = new inspector.Session();
  session.connect();
  process.on("SIGUSR2", () => session.post("HeapProfiler.collectGarbage"));
}
