import { once } from "node:events";
import { parentPort, Worker, type WorkerOptions } from "node:worker_threads";
import type { Program } from "~/shared/program.server";

/**
 * A worker thread that handles requests in order. The first request starts it. If it ends, the next request restarts
 * it. It keeps the process alive only while a request is pending.
 */
export interface Thread {
  /**
   * Sends a request and resolves with the response. Rejects if the request can't be cloned, the handler throws, or the
   * thread ends before it responds.
   */
  request<Result>(request: unknown): Promise<Result>;
  /** Ends the thread immediately. Rejects pending requests. */
  terminate(): Promise<void>;
  /** Ends the thread when no request is pending. */
  finish(): Promise<void>;
}

interface Running {
  worker: Worker;
  pending: Map<number, { resolve(response: never): void; reject(error: Error): void }>;
}

/**
 * Creates a thread, which starts when it receives its first request.
 *
 * @param name the thread's name for error messages, such as `password`.
 * @param program calls `handleRequests`.
 */
export function createThread(name: string, program: Program, options: WorkerOptions = {}): Thread {
  let running: Running | undefined;
  let lastId = 0;

  function start(): Running {
    const started: Running = { worker: startWorker(program, options), pending: new Map() };
    const { worker, pending } = started;
    worker.on("message", ({ id, response, error }) => {
      const request = pending.get(id);
      pending.delete(id);
      if (pending.size === 0) worker.unref();
      if (error === undefined) request?.resolve(response as never);
      else request?.reject(new Error(`The ${name} thread failed: ${error}`));
    });
    const gone = (reason: Error) => {
      if (running === started) running = undefined;
      for (const { reject } of pending.values()) reject(reason);
      pending.clear();
    };
    worker.on("error", gone);
    worker.on("exit", () => gone(new Error(`The ${name} thread ended.`)));
    // Call `unref` after adding the listeners, because adding a listener for messages keeps the process alive.
    worker.unref();
    return started;
  }

  async function terminate(): Promise<void> {
    await running?.worker.terminate();
  }

  return {
    request: (request) =>
      new Promise((resolve, reject) => {
        running ??= start();
        const { worker, pending } = running;
        lastId += 1;
        // Send the message first, because this may throw.
        worker.postMessage({ id: lastId, request });
        pending.set(lastId, { resolve, reject });
        worker.ref();
      }),
    terminate,
    async finish() {
      // After an error, no request is pending.
      while (running && running.pending.size > 0) {
        // The thread may also exit without sending a response or an error.
        const waits = new AbortController();
        const next = ["message", "exit"].map((event) => once(running!.worker, event, waits));
        await Promise.race(next).catch(() => {});
        waits.abort();
      }
      await terminate();
    },
  };
}

function startWorker({ file, loader }: Program, options: WorkerOptions): Worker {
  if (!loader) return new Worker(file, options);
  const program = `import("tsx/esm/api").then((tsx) => {
    tsx.register();
    return import(${JSON.stringify(`file://${file}`)});
  });`;
  return new Worker(program, { ...options, eval: true, execArgv: [] });
}

/** Handles the requests that the current thread receives. */
export function handleRequests(handle: (request: never) => unknown): void {
  parentPort?.on("message", async ({ id, request }) => {
    try {
      parentPort?.postMessage({ id, response: await handle(request as never) });
    } catch (error) {
      const text = error instanceof Error ? error.stack : String(error);
      parentPort?.postMessage({ id, error: text });
    }
  });
}
