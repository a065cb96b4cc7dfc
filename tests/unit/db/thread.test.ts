import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, it } from "vitest";
import { createThread } from "~db/threads/thread.server";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "thread-"));
afterAll(() => fs.rmSync(folder, { recursive: true }));

const file = path.join(folder, "program.mjs");
fs.writeFileSync(
  file,
  `import { parentPort, threadId } from "node:worker_threads";
   parentPort.on("message", ({ id, question }) => {
     if (question === "exit") process.exit();
     if (question === "throw") throw new Error("It failed.");
     if (question !== "wait") parentPort.postMessage({ id, answer: threadId });
   });`,
);
const create = () => createThread("test", { file, loader: null });

it.each([
  ["exit", "The test thread ended."],
  ["throw", "It failed."],
])(
  "rejects what a thread was asked when it ends: %s. The next question starts another",
  async (question, message) => {
    const thread = create();
    const first = await thread.ask("id");
    const asked = [thread.ask("wait"), thread.ask(question), thread.ask("id")];
    for (const answer of asked) await expect(answer).rejects.toThrow(message);
    expect(await thread.ask("id")).not.toBe(first);
    await thread.terminate();
  },
);

it("rejects what waits for an answer when the thread is terminated", async () => {
  const thread = create();
  const asked = thread.ask("wait");
  await Promise.all([expect(asked).rejects.toThrow("ended"), thread.terminate()]);
});

it("answers what it was asked before it finishes", async () => {
  const thread = create();
  const asked = [thread.ask("id"), thread.ask("id")];
  await thread.finish();
  expect(new Set(await Promise.all(asked)).size).toBe(1);
});

it("finishes when the thread ends without an answer", async () => {
  const thread = create();
  const asked = expect(thread.ask("exit")).rejects.toThrow("ended");
  await thread.finish();
  await asked;
});
