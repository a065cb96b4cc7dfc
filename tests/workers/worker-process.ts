import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { command } from "../command";
import { until } from "../process-figures";
import type { SiteProcess } from "../site-process";

/** `npm run worker` in a separate process and folder, whose only settings are the site's URL and a token. */
export class WorkerProcess {
  readonly folder = fs.mkdtempSync(path.join(os.tmpdir(), "worker-process-"));
  readonly token = `afterdark_worker_${randomBytes(32).toString("base64url")}`;
  /** The process's output so far. */
  log = "";
  child: ChildProcess | undefined;

  /** Creates the worker on the site, as the studio does. */
  constructor(
    readonly site: SiteProcess,
    readonly name: string,
  ) {
    site
      .database()
      .prepare("INSERT INTO workers (token_hash, name, created_at) VALUES (?, ?, ?)")
      .run(createHash("sha256").update(this.token).digest("hex"), name, new Date().toISOString());
  }

  /** @param wrapper a command with its own arguments. The worker's command is appended to them. */
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
    const append = (chunk: Buffer) => {
      this.log += chunk;
    };
    child.stdout.on("data", append);
    child.stderr.on("data", append);
    this.child = child;
  }

  /** Waits until the process's output contains `text`. Throws an error if the process exits first. */
  async waitForOutput(text: string | RegExp): Promise<void> {
    await until(() => {
      if (typeof text === "string" ? this.log.includes(text) : text.test(this.log)) return true;
      if (this.child?.exitCode !== null) throw new Error(`The worker exited:\n${this.log}`);
      return false;
    });
  }

  /** Stops the process. Returns its exit code, or null if it was terminated by a signal. */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> {
    const child = this.child;
    if (!child || child.exitCode !== null || child.signalCode) return child?.exitCode ?? null;
    const exit = once(child, "exit");
    child.kill(signal);
    const [code] = await exit;
    return code as number | null;
  }

  async remove(): Promise<void> {
    await this.stop("SIGKILL");
    fs.rmSync(this.folder, { recursive: true, force: true });
  }
}

/**
 * Returns the command lines of ffmpeg processes that work in a folder. A worker terminates these processes when it
 * stops.
 */
export function encodersIn(folder: string): string[] {
  const pids = execFileSync("ps", ["-eo", "pid=,args="], { encoding: "utf8" }).split("\n");
  return pids.filter((line) => /\bffmpeg\b/.test(line) && line.includes(folder));
}
