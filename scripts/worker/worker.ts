// npm run worker: encodes videos for a site that runs on another machine (docs/workers.md).
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { SettingsError, settings } from "~/platform/settings.server";
import { parseUrl } from "~/shared/addresses";
import { UsageError } from "../prompt";
import { convert, type Job } from "./convert";
import { RefusedError, siteClient, TokenError } from "./site";

const USAGE = `npm run worker -- --site https://videos.example [--token TOKEN] [--folder FOLDER]

Encodes videos for a site until Ctrl-C: downloads each video, encodes its streams and uploads them.
Requires ffmpeg, but no access to the site's database or disk.
  --site    the URL of the site
  --token   the token of this worker, created in the studio (/admin/workers). To hide it from other users
            of this machine, set WORKER_TOKEN instead.
  --folder  the working folder (default: the folder for temporary files)

ENCODER_HARDWARE and ENCODER_THREADS apply to this machine.`;

/** How long this machine waits before it takes another job after its disk was full. */
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
  // Don't use `once`, because signal-exit, which ends ffmpeg along with this process, would consider the signal
  // unhandled.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => leave.abort());
  const folder = await mkdtemp(path.join(parent, "afterdark-worker-"));
  try {
    const client = siteClient(site, token, log);
    log(`Processing jobs from ${site}.`);
    while (!leave.signal.aborted) await takeOne(client, folder, leave.signal);
    log("Stopped.");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Takes a job and completes it, or waits if there is no job. */
async function takeOne(
  client: ReturnType<typeof siteClient>,
  folder: string,
  leave: AbortSignal,
): Promise<void> {
  try {
    const response = await client.request("jobs", { method: "POST", until: leave });
    if (response.status === 204) {
      const seconds = Number(response.headers.get("Retry-After")) || 5;
      await setTimeout(seconds * 1000, undefined, { signal: leave });
      return;
    }
    const job = await response.json<Job>();
    log(`Job ${job.job}: claimed.`);
    const end = await convert(client, job, folder, leave, log);
    if (end === "full") await setTimeout(FULL_WAIT_MS, undefined, { signal: leave });
  } catch (error) {
    if (leave.aborted && !(error instanceof TokenError)) return;
    if (error instanceof RefusedError) log(error.message);
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
  if (!token) throw new UsageError(`Specify this worker's token.\n\n${USAGE}`);
  return { site: site.origin, token, parent: path.resolve(values.folder ?? os.tmpdir()) };
}

function log(text: string): void {
  console.log(text);
}
