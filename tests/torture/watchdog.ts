import { Worker } from "node:worker_threads";

/** So long one input may keep the thread; the machine may be busy with other things. */
const HANG_MS = 20_000;

const PROGRAM = `
const { workerData } = require("node:worker_threads");
const { shared, now, hangMs } = workerData;
const [beats, letters] = [new Int32Array(shared, 0, 2), new Uint8Array(shared, 8)];
let last = -1;
let since = Date.now();
setInterval(() => {
  const beat = Atomics.load(beats, 0);
  if (beat !== last) [last, since] = [beat, Date.now()];
  if (Date.now() - since < hangMs) return;
  const what = Buffer.from(letters.slice(0, Atomics.load(beats, 1))).toString();
  require("node:fs").writeSync(2, "HANG: " + what + "\\n");
  process.kill(process.pid, "SIGKILL");
}, 500);
`;

const MAX_LENGTH = 4_000;

/**
 * Ends the process when one input keeps it for too long, and says which: a loop without an end leaves
 * this thread no way to tell it. Something that is never answered keeps no process, but this does.
 */
export function createWatchdog() {
  const shared = new SharedArrayBuffer(8 + MAX_LENGTH);
  const [beats, letters] = [new Int32Array(shared, 0, 2), new Uint8Array(shared, 8)];
  const worker = new Worker(PROGRAM, { eval: true, workerData: { shared, hangMs: HANG_MS } });
  return {
    /** Says what is being done from now on. */
    doing(what: string): void {
      const { written } = new TextEncoder().encodeInto(what, letters);
      Atomics.store(beats, 1, written);
      Atomics.add(beats, 0, 1);
    },
    stop: () => worker.terminate(),
  };
}
