import { once } from "node:events";
import { parentPort, Worker, type WorkerOptions } from "node:worker_threads";
import type { Program } from "~/shared/program.server";

/**
 * A thread that answers questions in their order. The first question starts it, and so does the next one after it has
 * ended. It keeps the process from ending only while an answer is awaited.
 */
export interface Thread {
  /** Rejects if the question can't be cloned, the program throws, or the thread ends before it answers. */
  ask<Answer>(question: unknown): Promise<Answer>;
  /** Ends it. Rejects what waits for an answer. */
  terminate(): Promise<void>;
  /** Ends it once it has answered what it was asked. */
  finish(): Promise<void>;
}

interface Running {
  worker: Worker;
  waiting: Map<number, { resolve(answer: never): void; reject(error: Error): void }>;
}

/**
 * @param name for messages, such as `password`.
 * @param program calls `answerQuestions`.
 */
export function createThread(name: string, program: Program, options: WorkerOptions = {}): Thread {
  let running: Running | undefined;
  let lastId = 0;

  function start(): Running {
    const started: Running = { worker: startWorker(program, options), waiting: new Map() };
    const { worker, waiting } = started;
    worker.on("message", ({ id, answer, error }) => {
      const asker = waiting.get(id);
      waiting.delete(id);
      if (waiting.size === 0) worker.unref();
      if (error === undefined) asker?.resolve(answer as never);
      else asker?.reject(new Error(`The ${name} thread failed: ${error}`));
    });
    const gone = (reason: Error) => {
      if (running === started) running = undefined;
      for (const { reject } of waiting.values()) reject(reason);
      waiting.clear();
    };
    worker.on("error", gone);
    worker.on("exit", () => gone(new Error(`The ${name} thread ended.`)));
    // After the listeners: Node keeps the process running for one of messages.
    worker.unref();
    return started;
  }

  async function terminate(): Promise<void> {
    await running?.worker.terminate();
  }

  return {
    ask: (question) =>
      new Promise((resolve, reject) => {
        running ??= start();
        const { worker, waiting } = running;
        lastId += 1;
        // May throw, and then nobody waits.
        worker.postMessage({ id: lastId, question });
        waiting.set(lastId, { resolve, reject });
        worker.ref();
      }),
    terminate,
    async finish() {
      // After an error nobody waits any more.
      while (running && running.waiting.size > 0) {
        // It may also end without an answer, and without an error.
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

/** Answers the questions of the thread that this program runs in. */
export function answerQuestions(answer: (question: never) => unknown): void {
  parentPort?.on("message", async ({ id, question }) => {
    try {
      parentPort?.postMessage({ id, answer: await answer(question as never) });
    } catch (error) {
      const text = error instanceof Error ? error.stack : String(error);
      parentPort?.postMessage({ id, error: text });
    }
  });
}
