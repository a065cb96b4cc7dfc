import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { hashSync } from "bcryptjs";
import Sqlite from "better-sqlite3";
import { CLIPS_FOLDER, linkIfFirst } from "./clips";
import { freePort } from "./free-port";

const START = fileURLToPath(new URL("../scripts/start.mjs", import.meta.url));
const BUILD = fileURLToPath(new URL("../build/fingerprint", import.meta.url));
const LISTENS_WITHIN_MS = 60_000;

export const ADMIN = { email: "admin@example.com", password: "correct horse battery" };

/** The built site as a process of its own, started with `npm start`'s script, in a temporary folder. */
export class SiteProcess {
  readonly folder = fs.mkdtempSync(path.join(os.tmpdir(), "site-process-"));
  readonly uploads = path.join(this.folder, "uploads");
  readonly databasePath = path.join(this.folder, "db", "site.sqlite");
  url = "";
  /** All that the process has printed. */
  log = "";
  child: ChildProcess | undefined;
  private sqlite: Sqlite.Database | undefined;

  /**
   * @param environment settings, by the names of the variables. Where they name the first account, the
   *   site makes its database itself; else it begins with a copy of one that a first start has made,
   *   which saves half a second of a processor, most of it for the hash of the password.
   * @param wrapper a program, with arguments, that runs the rest of its arguments as a command.
   */
  constructor(
    private environment: Record<string, string> = {},
    private wrapper: readonly string[] = [],
  ) {}

  /**
   * Starts the process, or starts it again on the same folder and port.
   *
   * @param environment is kept for later starts; `wrapper` isn't.
   */
  async start(
    environment: Record<string, string> = {},
    wrapper: readonly string[] = this.wrapper,
  ): Promise<void> {
    const port = this.url ? new URL(this.url).port : String(await freePort());
    Object.assign(this.environment, environment);
    if (!this.child) await this.beginWithDatabase();
    const [program = process.execPath, ...args] = [...wrapper, process.execPath, START];
    const child = spawn(program, args, {
      env: {
        NODE_ENV: "production",
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        HOST: "127.0.0.1",
        PORT: port,
        DATABASE_PATH: this.databasePath,
        UPLOADS_DIR: this.uploads,
        ADMIN_EMAIL: ADMIN.email,
        ADMIN_PASSWORD: ADMIN.password,
        AGE_GATE: "off",
        // Conversions take processors that the other tests want; who tests them asks for some.
        ENCODER_CONCURRENCY: "0",
        ENCODER_PRESET: "ultrafast",
        ...this.environment,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const keep = (chunk: Buffer) => {
      this.log += chunk;
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    this.child = child;
    this.url = `http://127.0.0.1:${port}`;
    await this.listening();
  }

  private async beginWithDatabase(): Promise<void> {
    if ("ADMIN_EMAIL" in this.environment || "DATABASE_PATH" in this.environment) return;
    if (fs.existsSync(this.databasePath)) return;
    const first = await databaseOfFirstStart();
    fs.mkdirSync(path.dirname(this.databasePath));
    fs.copyFileSync(first, this.databasePath);
  }

  private async listening(): Promise<void> {
    const until = Date.now() + LISTENS_WITHIN_MS;
    while (Date.now() < until) {
      if (this.child?.exitCode !== null || this.child.signalCode)
        throw new Error(`The site ended at its start:\n${this.log}`);
      const answer = await fetch(`${this.url}/healthz`).catch(() => undefined);
      if (answer) return;
      await new Promise((next) => setTimeout(next, 50));
    }
    throw new Error(`The site did not listen within ${LISTENS_WITHIN_MS} ms:\n${this.log}`);
  }

  /** Ends the process and waits for it; its exit code, or null when a signal ended it. */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> {
    const child = this.child;
    if (!child || child.exitCode !== null || child.signalCode) return child?.exitCode ?? null;
    const ended = once(child, "exit");
    child.kill(signal);
    const [code] = await ended;
    return code as number | null;
  }

  /** The site's own database file, opened beside the running process as any other tool would. */
  database(): Sqlite.Database {
    this.sqlite ??= new Sqlite(this.databasePath, { timeout: 5_000 });
    return this.sqlite;
  }

  /** Puts a row into `videos` as any tool may; only what is given is set. Returns its id. */
  addVideo(columns: Record<string, string | number | null> = {}): string {
    const row = { title: "A video", category: "desi", ...columns };
    const names = Object.keys(row);
    return this.database()
      .prepare(
        `INSERT INTO videos (${names.join(", ")}) VALUES (${names.map((name) => `@${name}`).join(", ")}) RETURNING id`,
      )
      .pluck()
      .get(row) as string;
  }

  /** Adds an account with the admin's password. Returns what it signs in with. */
  addUser(columns: { id: string; email: string; role: string; may_publish?: 0 | 1 }): typeof ADMIN {
    this.database()
      .prepare(
        `INSERT INTO users (id, email, password_hash, role, may_publish)
         SELECT @id, @email, password_hash, @role, @may_publish FROM users WHERE email = @admin`,
      )
      .run({ may_publish: 0, ...columns, admin: ADMIN.email });
    return { ...ADMIN, email: columns.email };
  }

  /** Puts a file where `/media/{bucket}/{name}` finds it. Returns that address. */
  addFile(bucket: "videos" | "thumbnails", name: string, content: Buffer | string): string {
    const file = path.join(this.uploads, bucket, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, content);
    return `/media/${bucket}/${name}`;
  }

  async remove(): Promise<void> {
    this.sqlite?.close();
    await this.stop("SIGKILL");
    fs.rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The database that this build of the site makes at its first start, with the account `ADMIN`. */
async function databaseOfFirstStart(): Promise<string> {
  const build = createHash("sha256").update(fs.readFileSync(BUILD)).digest("hex").slice(0, 16);
  const file = path.join(CLIPS_FOLDER, `first-start-${build}.sqlite`);
  if (fs.existsSync(file)) return file;
  const site = new SiteProcess({ ADMIN_EMAIL: ADMIN.email });
  try {
    await site.start();
    await site.stop();
    // At the cost of the site each sign-in takes a third of a second of a processor.
    site.database().prepare("UPDATE users SET password_hash = ?").run(hashSync(ADMIN.password, 4));
    site.database().pragma("wal_checkpoint(TRUNCATE)");
    fs.mkdirSync(CLIPS_FOLDER, { recursive: true });
    const partial = `${file}.${process.pid}`;
    fs.copyFileSync(site.databasePath, partial);
    linkIfFirst(partial, file);
    fs.rmSync(partial);
  } finally {
    await site.remove();
  }
  return file;
}
