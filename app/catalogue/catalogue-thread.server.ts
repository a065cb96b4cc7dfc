import { parentPort, workerData } from "node:worker_threads";
import Sqlite from "better-sqlite3";
import { checkpointer } from "./checkpoint-log.server";
import { relatedPlaces } from "./related-places.server";
import { searchHits } from "./search-hits.server";

/**
 * The program of the catalogue's threads: what can take more than a moment runs here, on a
 * connection of its own. vite.config.ts makes a file of it beside the server's.
 */

const TASKS = { search: searchHits, related: relatedPlaces, checkpoint: checkpointer };

const task = workerData.task as keyof typeof TASKS;
let opened: { file: string; sqlite: Sqlite.Database; answer: (question: never) => unknown };

function answerFrom(file: string) {
  if (opened?.file !== file) {
    opened?.sqlite.close();
    const readonly = task !== "checkpoint";
    const sqlite = new Sqlite(file, { readonly, fileMustExist: true, timeout: 5_000 });
    opened = { file, sqlite, answer: TASKS[task](sqlite) };
  }
  return opened.answer;
}

parentPort?.on("message", ({ id, question }) => {
  try {
    parentPort?.postMessage({ id, answer: answerFrom(question.file)(question as never) });
  } catch (error) {
    parentPort?.postMessage({ id, error: error instanceof Error ? error.stack : String(error) });
  }
});
