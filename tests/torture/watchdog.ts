import { Worker } from "node:worker_threads";

/** How long one input may block the thread. The limit is generous, because the machine may be busy with other work. */
const HANG_MS = 20_000;

const WORKER_SOURCE = `
const { workerData } = require("node:worker_threads");
const { shared, now, hangMs } = workerData;
const [beats, text] = [new Int32Array(shared, 0, 2), new Uint8Array(shared, 8)];
let last = -1;
let since = Date.now();
setInterval(() => {
  const beat = Atomics.load(beats, 0);
  if (beat !== last) [last, since] = [beat, Date.now()];
  if (Date.now() - since < hangMs) return;
  const task = Buffer.from(text.slice(0, Atomics.load(beats, 1))).toString();
  require("node:fs").writeSync(2, "HANG: " + task + "\\n");
  process.kill(process.pid, "SIGKILL");
}, 500);
`;

const MAX_LENGTH = 4_000;

/**
 * Creates a watchdog that prints the input and kills the process if one input blocks this thread for too long. It runs
 * in a worker, because a thread in an endless loop can't report its input. The worker also keeps the process alive if
 * an input's promise never settles. Otherwise, the process would exit silently.
 */
export function createWatchdog() {
  const shared = new SharedArrayBuffer(8 + MAX_LENGTH);
  const [beats, text] = [new Int32Array(shared, 0, 2), new Uint8Array(shared, 8)];
  const worker = new Worker(WORKER_SOURCE, { eval: true, workerData: { shared, hangMs: HANG_MS } });
  return {
    /** Records the input that this thread is about to process. */
    begin(task: string): void {
      const { written } = new TextEncoder().encodeInto(task, text);
      Atomics.store(beats, 1, written);
      Atomics.add(beats, 0, 1);
    },
    stop: () => worker.terminate(),
  };
}
