import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  MAX_REASON_LENGTH,
  scanFile,
  UnscannedError,
} from "~/features/processing/kinds/scan.server";
import { useTemporarySite } from "../../temporary-site";
import { scanWith, setCommand } from "./scan-scripts";

let site: ReturnType<typeof useTemporarySite>;
let file: string;
beforeEach(() => {
  site = useTemporarySite();
  file = path.join(site.uploads, "a video; $(reboot).mp4");
  fs.mkdirSync(site.uploads, { recursive: true });
  fs.writeFileSync(file, "bytes");
});
afterEach(() => {
  setCommand(undefined);
  site.remove();
});

const scan = (signal = new AbortController().signal, timeoutMs?: number) =>
  scanFile(file, signal, timeoutMs);
const output = () => path.join(site.folder, "output");
const isRunning = (pid: number) => {
  try {
    return !/^State:\s+Z/m.test(fs.readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
};

describe("the scan of a file", () => {
  it("passes the command its arguments and the file, but no secrets", async () => {
    process.env.SESSION_SECRET = "s".repeat(40);
    scanWith(
      site.folder,
      `printf "%s\\n" "$@" > ${output()}; env >> ${output()}`,
      "--level",
      "'a b'",
    );
    expect(await scan()).toEqual({ verdict: "pass", reason: "" });
    delete process.env.SESSION_SECRET;
    const printed = fs.readFileSync(output(), "utf8");
    expect(printed.split("\n").slice(0, 3)).toEqual(["--level", "a b", file]);
    expect(printed).toContain("PATH=");
    expect(printed).not.toContain("sss");
  });

  it.each([
    ["exit 0", { verdict: "pass", reason: "" }],
    ["echo clean; exit 0", { verdict: "pass", reason: "clean" }],
    [
      "echo; echo '  unsure  about it '; echo more; exit 1",
      { verdict: "hold", reason: "unsure about it" },
    ],
    ["echo known; exit 2", { verdict: "refuse", reason: "known" }],
    // The background process keeps the command's output open.
    ["sleep 60 & echo known; exit 2", { verdict: "refuse", reason: "known" }],
  ])("ends with a verdict: %s", async (script, result) => {
    scanWith(site.folder, script);
    expect(await scan()).toEqual(result);
  });

  it.each([
    ["exit 1", "The scan ended with exit code 1 without printing a reason."],
    ["echo Traceback >&2; exit 1", "exit code 1 without printing a reason"],
    ["exit 2", "exit code 2 without printing a reason"],
    ["echo broken; exit 3", "The scan ended with exit code 3 and printed: broken."],
    ["kill -SEGV $$", "The scan was killed by SIGSEGV."],
    ["no-such-program", "exit code 127"],
  ])("ends without a verdict: %s", async (script, message) => {
    scanWith(site.folder, script);
    const error = await scan().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UnscannedError);
    expect((error as Error).message).toContain(message);
  });

  it("ends without a verdict if the command can't be started", async () => {
    await expect(scan()).rejects.toThrow("SCAN_COMMAND is not set.");
    setCommand("/nowhere/scan --fast");
    await expect(scan()).rejects.toThrow(UnscannedError);
    const script = path.join(site.folder, "not-executable");
    fs.writeFileSync(script, "exit 0");
    setCommand(script);
    await expect(scan()).rejects.toThrow(UnscannedError);
  });

  it("is killed with its child processes when it takes too long", async () => {
    scanWith(site.folder, `sleep 60 & echo $! > ${output()}; wait`);
    await expect(scan(undefined, 500)).rejects.toThrow("The scan took longer than 0.5 seconds.");
    await vi.waitFor(() =>
      expect(isRunning(Number(fs.readFileSync(output(), "utf8")))).toBe(false),
    );
  });

  it("is killed when its job is aborted", async () => {
    scanWith(site.folder, `echo $$ > ${output()}; sleep 60`);
    const controller = new AbortController();
    const scanning = scan(controller.signal).catch((error: Error) => error.name);
    await vi.waitFor(() => expect(fs.readFileSync(output(), "utf8")).toMatch(/\d\n/));
    controller.abort();
    expect(await scanning).toBe("AbortError");
    await vi.waitFor(() =>
      expect(isRunning(Number(fs.readFileSync(output(), "utf8")))).toBe(false),
    );
  });

  it("keeps a short, sanitized line of the command's output", async () => {
    scanWith(
      site.folder,
      `printf "\\033[31m\\000\\377<b>\\342\\200\\256x\\ty</b>\\r\\nnext"; exit 2`,
    );
    const { reason } = await scan();
    expect(reason).toMatch(/^\[31m .?<b> x y<\/b>$/);
    scanWith(site.folder, "head -c 30000000 /dev/zero | tr '\\0' a; exit 1");
    const before = process.memoryUsage.rss();
    expect(await scan()).toEqual({ verdict: "hold", reason: "a".repeat(MAX_REASON_LENGTH) });
    expect(process.memoryUsage.rss() - before).toBeLessThan(200e6);
    scanWith(site.folder, "head -c 20000 /dev/zero | tr '\\0' '\\n'; echo late; exit 1");
    await expect(scan()).rejects.toThrow("without printing a reason");
  });
});
