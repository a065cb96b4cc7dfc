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

/** A site with all the processes described in docs/explanation/scaling.md, on a single machine. */
export interface Deployment {
  /** The URL of nginx, the only process that visitors connect to. */
  url: string;
  store: S3Server;
  writer: SiteProcess;
  reader: SiteProcess;
  workers: [WorkerProcess, WorkerProcess];
  stop(): Promise<void>;
}

export async function startDeployment(): Promise<Deployment> {
  const cleanups: (() => unknown)[] = [];
  const stop = async () => {
    for (const cleanUp of cleanups.reverse()) await cleanUp();
  };
  try {
    const store = await startS3Server();
    cleanups.push(() => store.stop());
    const shared = { ...store.environment, SESSION_SECRET: "a-secret-for-tests-of-32-characters" };
    const writer = new SiteProcess({ ...shared, LITESTREAM: "on" });
    cleanups.push(() => writer.remove());
    await writer.start();
    const litestream = new Litestream(writer.databasePath, path.join(writer.folder, "replica"));
    cleanups.push(() => litestream.stop("SIGKILL"));
    litestream.start();

    const reader = new SiteProcess({ ...shared, READ_ONLY_FROM: writer.url });
    cleanups.push(() => reader.remove());
    const refresher = keepRefreshing(litestream.url, reader.databasePath);
    cleanups.push(() => refresher.kill("SIGKILL"));
    await until(() => fs.existsSync(reader.databasePath));
    await reader.start();

    const workers = ["attic", "cellar"].map((name) => new WorkerProcess(writer, name)) as [
      WorkerProcess,
      WorkerProcess,
    ];
    for (const worker of workers) {
      cleanups.push(() => worker.remove());
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
    cleanups.push(() => nginx.process.kill());
    return { url: nginx.url, store, writer, reader, workers, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Runs `npm run refresh-reader -- --every 1`, which retries until there is a Litestream replica. */
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
