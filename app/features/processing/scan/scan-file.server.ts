import type { ScanResult } from "~/media/encode/artifact";
import { withLocalFile } from "~/media/files/local-copies.server";
import { insideLimits } from "~/media/probe/ffmpeg.server";
import { startScan } from "~/platform/child-process.server";
import { settings } from "~/platform/settings.server";

/** The command gave no result. The file stays on hold and is scanned again. */
export class UnscannedError extends Error {}

/** Wall-clock time. Allows for a large file on a slow disk. */
const TIMEOUT_MS = 30 * 60_000;
export const MAX_REASON_LENGTH = 300;
/** How much output is kept; the rest is read and discarded. */
const KEPT_BYTES = 8 * 1024;
const VERDICTS = ["pass", "hold", "refuse"] as const;

/**
 * Runs SCAN_COMMAND with the file as its last argument: at low priority, without the site's secrets and without a shell.
 * Exit code 0 passes the file, 1 holds it, 2 refuses it. The first line on standard output is the reason. Without a
 * reason, 1 and 2 are no verdict, because interpreters and wrappers also exit with these codes when they fail.
 *
 * @param signal kills the command and its child processes.
 * @throws {UnscannedError} if there is no verdict.
 */
export async function scanFile(
  file: string,
  signal: AbortSignal,
  timeoutMs = TIMEOUT_MS,
): Promise<ScanResult> {
  const command = settings().scanCommand;
  if (!command) throw new UnscannedError("SCAN_COMMAND is not set.");
  return withLocalFile(file, async (local) => {
    const [program, ...args] = insideLimits([...command, local], { background: true });
    const child = startScan(program, args);
    let output = Buffer.alloc(0);
    child.stdout.on("data", (chunk: Buffer) => {
      const room = KEPT_BYTES - output.length;
      if (room > 0) output = Buffer.concat([output, chunk.subarray(0, room)]);
    });
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      child.end();
    }, timeoutMs);
    signal.addEventListener("abort", child.end, { once: true });
    try {
      if (signal.aborted) child.end();
      const end = await child.ended;
      signal.throwIfAborted();
      if (isLate) throw new UnscannedError(`The scan took longer than ${spanOf(timeoutMs)}.`);
      return resultOf(end, reasonIn(output));
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", child.end);
    }
  });
}

type End = Awaited<ReturnType<typeof startScan>["ended"]>;

function resultOf({ error, code, signal }: End, reason: string): ScanResult {
  if (error) throw new UnscannedError(`The scan could not be started: ${error}.`);
  const verdict = code === null ? undefined : VERDICTS[code];
  if (verdict && (verdict === "pass" || reason)) return { verdict, reason };
  const end = code === null ? `was ended by ${signal}` : `ended with exit code ${code}`;
  const said = reason
    ? ` and said: ${reason}`
    : verdict
      ? ", but without a line that says why"
      : "";
  throw new UnscannedError(`The scan ${end}${said}.`);
}

/** The output is untrusted: it may repeat the name of a file. */
function reasonIn(output: Buffer): string {
  const lines = output.toString("utf8").split(/[\r\n\u2028\u2029]+/);
  const cleaned = lines.map((line) => line.replaceAll(/[\p{C}\s]+/gu, " ").trim());
  const [line = ""] = cleaned.filter(Boolean);
  return [...line].slice(0, MAX_REASON_LENGTH).join("");
}

function spanOf(ms: number): string {
  return ms < 60_000 ? `${ms / 1_000} seconds` : `${ms / 60_000} minutes`;
}
