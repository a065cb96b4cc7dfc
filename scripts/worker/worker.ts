// npm run worker: converts for a site on another machine (docs/how-to/workers.md).
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { SettingsError, settings } from "~/platform/settings.server";
import { parseUrl } from "~/shared/addresses";
import { UsageError } from "../ask";
import { convert, type Job } from "./convert";
import { RefusedError, siteClient, TokenError } from "./site";

const USAGE = `npm run worker -- --site https://videos.example [--token TOKEN] [--folder FOLDER]

Converts videos for a site, until Ctrl-C: it fetches each video, makes its streaming qualities, and sends
them. It needs ffmpeg, and neither the site's database nor its disk.
  --site    the address of the site
  --token   the token of this worker, which the studio makes (Queue, Workers); or WORKER_TOKEN, which
            other users of this machine do not see
  --folder  where videos are worked on; the folder for temporary files where it is left out

ENCODER_HARDWARE and ENCODER_THREADS are those of this machine.`;

/** After its disk was full, this machine asks for nothing for so long. */
const FULL_WAIT_MS = 60_000;

try {
  await main();
} catch (error) {
  process.exitCode = error instanceof UsageError ? 2 : 1;
  const isExpected = [UsageError, TokenError, SettingsError].some((kind) => error instanceof kind);
  console.error(isExpected ? (error as Error).message : error);
}

async function main(): Promise<void> {
  const { site, token, parent } = readArguments();
  settings();
  if (!ffmpegAvailable()) throw new UsageError("ffmpeg is not installed on this machine.");
  const leave = new AbortController();
  // Not once: what ends ffmpeg with this process (signal-exit) would take the signal for unhandled then.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => leave.abort());
  const folder = await mkdtemp(path.join(parent, "afterdark-worker-"));
  try {
    const client = siteClient(site, token, say);
    say(`Working for ${site}.`);
    while (!leave.signal.aborted) await takeOne(client, folder, leave.signal);
    say("Leaving.");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Takes a job and ends it, or waits for one. */
async function takeOne(
  client: ReturnType<typeof siteClient>,
  folder: string,
  leave: AbortSignal,
): Promise<void> {
  try {
    const answer = await client.ask("jobs", { method: "POST", until: leave });
    if (answer.status === 204) {
      const seconds = Number(answer.headers.get("Retry-After")) || 5;
      await setTimeout(seconds * 1000, undefined, { signal: leave });
      return;
    }
    const job = await answer.json<Job>();
    say(`Job ${job.job}: taken.`);
    const end = await convert(client, job, folder, leave, say);
    if (end === "full") await setTimeout(FULL_WAIT_MS, undefined, { signal: leave });
  } catch (error) {
    if (leave.aborted && !(error instanceof TokenError)) return;
    if (error instanceof RefusedError) say(error.message);
    else throw error;
  }
}

function readArguments(): { site: string; token: string; parent: string } {
  let values: { site?: string; token?: string; folder?: string; help?: boolean };
  try {
    const text = { type: "string" } as const;
    ({ values } = parseArgs({
      options: { site: text, token: text, folder: text, help: { type: "boolean" } },
    }));
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${USAGE}`);
  }
  if (values.help) {
    console.log(USAGE);
    process.exit(0);
  }
  const token = values.token ?? process.env.WORKER_TOKEN;
  const site = parseUrl(values.site ?? "");
  if (!site || !/^https?:$/.test(site.protocol)) throw new UsageError(USAGE);
  if (!token) throw new UsageError(`The token of this worker is missing.\n\n${USAGE}`);
  return { site: site.origin, token, parent: path.resolve(values.folder ?? os.tmpdir()) };
}

function say(text: string): void {
  console.log(text);
}
