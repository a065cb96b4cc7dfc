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
   parentPort.on("message", ({ id, request }) => {
     if (request === "exit") process.exit();
     if (request === "throw") throw new Error("It failed.");
     if (request !== "wait") parentPort.postMessage({ id, response: threadId });
   });`,
);
const create = () => createThread("test", { file, loader: null });

it.each([
  ["exit", "The test thread ended."],
  ["throw", "It failed."],
])(
  "rejects pending requests if the thread ends (%s), and starts a new thread for the next request",
  async (request, message) => {
    const thread = create();
    const first = await thread.request("id");
    const responses = [thread.request("wait"), thread.request(request), thread.request("id")];
    for (const response of responses) await expect(response).rejects.toThrow(message);
    expect(await thread.request("id")).not.toBe(first);
    await thread.terminate();
  },
);

it("rejects pending requests when the thread is terminated", async () => {
  const thread = create();
  const response = thread.request("wait");
  await Promise.all([expect(response).rejects.toThrow("ended"), thread.terminate()]);
});

it("handles pending requests before finishing", async () => {
  const thread = create();
  const responses = [thread.request("id"), thread.request("id")];
  await thread.finish();
  expect(new Set(await Promise.all(responses)).size).toBe(1);
});

it("finishes even if the thread ends without responding", async () => {
  const thread = create();
  const rejected = expect(thread.request("exit")).rejects.toThrow("ended");
  await thread.finish();
  await rejected;
});
