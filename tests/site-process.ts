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
const START_TIMEOUT_MS = 60_000;

export const ADMIN = { email: "admin@example.com", password: "correct horse battery" };

/** The built site in a separate process and a temporary folder, started with the script used by `npm start`. */
export class SiteProcess {
  readonly folder = fs.mkdtempSync(path.join(os.tmpdir(), "site-process-"));
  readonly uploads = path.join(this.folder, "uploads");
  readonly databasePath = path.join(this.folder, "db", "site.sqlite");
  url = "";
  /** The process's output so far. */
  log = "";
  child: ChildProcess | undefined;
  private sqlite: Sqlite.Database | undefined;

  /**
   * @param environment settings by variable name. If they include the first account, the site creates its database
   * itself. Otherwise, the site starts with a copy of a database that another first start created. This saves half a
   * second of CPU time, most of it for the password hash.
   * @param wrapper a command and its arguments. The command to run is appended to them.
   */
  constructor(
    private environment: Record<string, string> = {},
    private wrapper: readonly string[] = [],
  ) {}

  /**
   * Starts the process, or restarts it with the same folder and port.
   *
   * @param environment settings to add. They also apply to later starts.
   * @param wrapper replaces the constructor's wrapper, but only for this start.
   */
  async start(
    environment: Record<string, string> = {},
    wrapper: readonly string[] = this.wrapper,
  ): Promise<void> {
    const port = this.url ? new URL(this.url).port : String(await freePort());
    Object.assign(this.environment, environment);
    if (!this.child) await this.copyInitialDatabase();
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
        // Conversions would take CPU time away from other tests. Tests that need them override this setting.
        ENCODER_CONCURRENCY: "0",
        ENCODER_PRESET: "ultrafast",
        ...this.environment,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const append = (chunk: Buffer) => {
      this.log += chunk;
    };
    child.stdout.on("data", append);
    child.stderr.on("data", append);
    this.child = child;
    this.url = `http://127.0.0.1:${port}`;
    await this.untilListening();
  }

  private async copyInitialDatabase(): Promise<void> {
    if ("ADMIN_EMAIL" in this.environment || "DATABASE_PATH" in this.environment) return;
    if (fs.existsSync(this.databasePath)) return;
    const initial = await initialDatabase();
    fs.mkdirSync(path.dirname(this.databasePath));
    fs.copyFileSync(initial, this.databasePath);
  }

  private async untilListening(): Promise<void> {
    const deadline = Date.now() + START_TIMEOUT_MS;
    while (Date.now() < deadline) {
      if (this.child?.exitCode !== null || this.child.signalCode)
        throw new Error(`The site exited during its start:\n${this.log}`);
      const response = await fetch(`${this.url}/healthz`).catch(() => undefined);
      if (response) return;
      await new Promise((next) => setTimeout(next, 50));
    }
    throw new Error(`The site didn't listen within ${START_TIMEOUT_MS} ms:\n${this.log}`);
  }

  /** Stops the process, and waits for it to exit. Returns its exit code, or null if it was terminated by a signal. */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> {
    const child = this.child;
    if (!child || child.exitCode !== null || child.signalCode) return child?.exitCode ?? null;
    const exit = once(child, "exit");
    child.kill(signal);
    const [code] = await exit;
    return code as number | null;
  }

  /** Opens the running site's database, as another tool would. */
  database(): Sqlite.Database {
    this.sqlite ??= new Sqlite(this.databasePath, { timeout: 5_000 });
    return this.sqlite;
  }

  /** Inserts a row into `videos` with only the given columns set, as another tool might. Returns the row's ID. */
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

  /** Adds an account with the admin's password. Returns the account's credentials. */
  addUser(columns: { id: string; email: string; role: string; may_publish?: 0 | 1 }): typeof ADMIN {
    this.database()
      .prepare(
        `INSERT INTO users (id, email, password_hash, role, may_publish)
         SELECT @id, @email, password_hash, @role, @may_publish FROM users WHERE email = @admin`,
      )
      .run({ may_publish: 0, ...columns, admin: ADMIN.email });
    return { ...ADMIN, email: columns.email };
  }

  /** Writes a file that the site serves as `/media/{bucket}/{name}`. Returns that URL. */
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

/** Returns a database that this build of the site created when it was first started, with the account `ADMIN`. */
async function initialDatabase(): Promise<string> {
  const build = createHash("sha256").update(fs.readFileSync(BUILD)).digest("hex").slice(0, 16);
  const file = path.join(CLIPS_FOLDER, `first-start-${build}.sqlite`);
  if (fs.existsSync(file)) return file;
  const site = new SiteProcess({ ADMIN_EMAIL: ADMIN.email });
  try {
    await site.start();
    await site.stop();
    // With the site's bcrypt cost, each sign-in would take a third of a second of CPU time.
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
