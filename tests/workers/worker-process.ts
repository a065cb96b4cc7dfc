import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { command } from "../command";
import { until } from "../process-figures";
import type { SiteProcess } from "../site-process";

/** `npm run worker` as a process of its own, in a folder of its own, with no setting but its token. */
export class WorkerProcess {
  readonly folder = fs.mkdtempSync(path.join(os.tmpdir(), "worker-process-"));
  readonly token = `afterdark_worker_${randomBytes(32).toString("base64url")}`;
  /** All that the process has printed. */
  log = "";
  child: ChildProcess | undefined;

  /** Makes the worker on the site, as the studio does. */
  constructor(
    readonly site: SiteProcess,
    readonly name: string,
  ) {
    site
      .database()
      .prepare("INSERT INTO workers (token_hash, name, created_at) VALUES (?, ?, ?)")
      .run(createHash("sha256").update(this.token).digest("hex"), name, new Date().toISOString());
  }

  /** @param wrapper a program, with arguments, that runs the rest of its arguments as a command. */
  start(environment: Record<string, string> = {}, wrapper: readonly string[] = []): void {
    const worker = command("worker", "--site", this.site.url, "--folder", this.folder);
    const [program = "", ...args] = [...wrapper, process.execPath, ...worker];
    const child = spawn(program, args, {
      env: {
        NODE_ENV: "production",
        PATH: process.env.PATH,
        WORKER_TOKEN: this.token,
        DATABASE_PATH: path.join(this.folder, "no", "database"),
        UPLOADS_DIR: path.join(this.folder, "no", "uploads"),
        ...environment,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const keep = (chunk: Buffer) => {
      this.log += chunk;
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    this.child = child;
  }

  /** Waits until it has printed that. */
  async says(text: string | RegExp): Promise<void> {
    await until(() => {
      if (typeof text === "string" ? this.log.includes(text) : text.test(this.log)) return true;
      if (this.child?.exitCode !== null) throw new Error(`The worker has ended:\n${this.log}`);
      return false;
    });
  }

  /** Ends the process; its exit code, or null when a signal ended it. */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> {
    const child = this.child;
    if (!child || child.exitCode !== null || child.signalCode) return child?.exitCode ?? null;
    const ended = once(child, "exit");
    child.kill(signal);
    const [code] = await ended;
    return code as number | null;
  }

  async remove(): Promise<void> {
    await this.stop("SIGKILL");
    fs.rmSync(this.folder, { recursive: true, force: true });
  }
}

/** ffmpeg at work in a folder, which the worker's end has to end too. */
export function encodersIn(folder: string): string[] {
  const pids = execFileSync("ps", ["-eo", "pid=,args="], { encoding: "utf8" }).split("\n");
  return pids.filter((line) => /\bffmpeg\b/.test(line) && line.includes(folder));
}
