import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

const CONFIGURATION = fileURLToPath(new URL("../../docs/litestream.yml", import.meta.url));

/**
 * The executable in the package for this platform. The wrapper in the main package isn't used, because it hides the
 * exit status.
 */
export const LITESTREAM = path.join(
  path.dirname(createRequire(import.meta.url).resolve("@flydotio/litestream/package.json")),
  `../litestream-${process.platform}-${process.arch}/litestream`,
);

/** A Litestream process that is configured by docs/litestream.yml and replicates a database to a folder. */
export class Litestream {
  log = "";
  readonly url: string;
  private child: ChildProcess | undefined;

  constructor(
    private databasePath: string,
    replica: string,
  ) {
    this.url = `file://${replica}`;
  }

  start(): void {
    const environment = {
      LITESTREAM_DATABASE: this.databasePath,
      LITESTREAM_REPLICA_URL: this.url,
    };
    this.child = spawn(LITESTREAM, ["replicate", "-config", CONFIGURATION], {
      env: { ...process.env, ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [this.child.stdout!, this.child.stderr!]) {
      stream.on("data", (chunk) => {
        this.log += chunk;
      });
    }
  }

  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    const child = this.child;
    if (!child || child.exitCode !== null || child.signalCode) return;
    const exit = once(child, "exit");
    child.kill(signal);
    await exit;
  }

  /** Returns the times at which Litestream has written WAL segments to the replica, in milliseconds since 1970. */
  segmentTimes(): number[] {
    return [...this.log.matchAll(/^time=(\S+) .*msg="wal segment written"/gm)].map(([, time]) =>
      Date.parse(time!),
    );
  }

  /** Restores the latest state of the replica to a new file, as described in the docs. */
  restore(file: string): void {
    const { status, stderr } = spawnSync(LITESTREAM, ["restore", "-o", file, this.url], {
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`Litestream couldn't restore the database:\n${stderr}`);
  }
}
