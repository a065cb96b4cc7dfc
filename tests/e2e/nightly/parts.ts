import { type ChildProcess, spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { command } from "../../command";
import { until } from "../../process-figures";
import { type S3Server, startS3Server } from "../../s3/object-stores";
import { LITESTREAM, Litestream } from "../../servers/litestream";
import { startNginx } from "../../servers/nginx";
import { SiteProcess } from "../../site-process";
import { WorkerProcess } from "../../workers/worker-process";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** A site on several machines, each a process here: docs/explanation/scaling.md has them all, this has them at once. */
export interface Parts {
  /** Of nginx, which alone visitors know. */
  url: string;
  store: S3Server;
  writer: SiteProcess;
  reader: SiteProcess;
  workers: [WorkerProcess, WorkerProcess];
  stop(): Promise<void>;
}

export async function startParts(): Promise<Parts> {
  const ends: (() => unknown)[] = [];
  const stop = async () => {
    for (const end of ends.reverse()) await end();
  };
  try {
    const store = await startS3Server();
    ends.push(() => store.stop());
    const shared = { ...store.environment, SESSION_SECRET: "a-secret-for-tests-of-32-characters" };
    const writer = new SiteProcess({ ...shared, LITESTREAM: "on" });
    ends.push(() => writer.remove());
    await writer.start();
    const litestream = new Litestream(writer.databasePath, path.join(writer.folder, "replica"));
    ends.push(() => litestream.stop("SIGKILL"));
    litestream.start();

    const reader = new SiteProcess({ ...shared, READ_ONLY_FROM: writer.url });
    ends.push(() => reader.remove());
    const refresher = keepRefreshing(litestream.url, reader.databasePath);
    ends.push(() => refresher.kill("SIGKILL"));
    await until(() => fs.existsSync(reader.databasePath));
    await reader.start();

    const workers = ["attic", "cellar"].map((name) => new WorkerProcess(writer, name)) as [
      WorkerProcess,
      WorkerProcess,
    ];
    for (const worker of workers) {
      ends.push(() => worker.remove());
      worker.start({ ENCODER_THREADS: "1" });
    }
    const host = (site: SiteProcess) => new URL(site.url).host;
    const folder = path.join(reader.folder, "nginx");
    fs.mkdirSync(folder);
    const nginx = await startNginx("nginx-reader.conf", folder, [
      [/server site:3000;/, `server ${host(writer)};`],
      [/server reader:3000 /, `server ${host(reader)} `],
      [/server site:3000 backup;/, `server ${host(writer)} backup;`],
    ]);
    ends.push(() => nginx.process.kill());
    return { url: nginx.url, store, writer, reader, workers, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** `npm run refresh-reader -- --every 1`; that it fails until there is a replica is what it is for. */
function keepRefreshing(replica: string, file: string): ChildProcess {
  const script = command("refresh-reader", "--every", "1");
  return spawn(process.execPath, script, {
    cwd: root,
    stdio: "ignore",
    env: {
      ...process.env,
      PATH: `${path.dirname(LITESTREAM)}:${process.env.PATH}`,
      LITESTREAM_REPLICA_URL: replica,
      DATABASE_PATH: file,
    },
  });
}
