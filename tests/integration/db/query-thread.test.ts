import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { stopRuntime } from "~db/runtime.server";
import { queryThread } from "~db/threads/query-thread.server";
import { useTemporarySite } from "../../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
});
afterEach(() => site.remove());

describe("a request that can't be sent to a worker thread", () => {
  it("is rejected, and the site can stop without waiting for a response", async () => {
    const uncloneable = { view: () => {} };
    await expect(queryThread("reading", "managed", uncloneable)).rejects.toThrow("cloned");
    await stopRuntime();
  });

  it("doesn't keep the process alive", async () => {
    const program = `
      import "./app/platform/settings.server.ts";
      import { queryThread } from "./db/threads/query-thread.server.ts";
      await queryThread("reading", "managed", { view() {} }).catch(({ name }) => console.log(name));
    `;
    const flags = ["--import", "tsx", "--input-type=module", "--eval", program];
    const { stdout } = await promisify(execFile)(process.execPath, flags);
    expect(stdout.trim()).toBe("DataCloneError");
  });
});
