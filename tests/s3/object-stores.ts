import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import {
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  S3Client,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { parseStorageUrl } from "~/platform/storage/storage-url";

/**
 * A real S3-compatible server for tests: the one that S3_TEST_URL names, with the keys of the environment,
 * or OpenStack Swift in one process. `npm test` installs it, and tells what was not tested where it cannot.
 */
const SWIFT = "/usr/lib/python3/dist-packages/swift/common/middleware/s3api";
export const hasS3Server = Boolean(process.env.S3_TEST_URL) || fs.existsSync(SWIFT);

/** Of the account that Swift is started with. */
const SWIFT_KEYS = { AWS_ACCESS_KEY_ID: "test:tester", AWS_SECRET_ACCESS_KEY: "testing" };

export interface S3Server {
  /** The settings of a site whose videos are in this bucket, below a prefix of their own. */
  environment: { STORAGE_URL: string; AWS_ACCESS_KEY_ID: string; AWS_SECRET_ACCESS_KEY: string };
  /** The process, where it is one of ours. */
  child?: ChildProcess;
  /** Ends such a process at once; `start` goes on with what it has. */
  kill?(): Promise<void>;
  start?(): Promise<void>;
  stop(): Promise<void>;
}

export async function startS3Server(): Promise<S3Server> {
  const given = process.env.S3_TEST_URL;
  if (given) {
    const { AWS_ACCESS_KEY_ID = "", AWS_SECRET_ACCESS_KEY = "" } = process.env;
    const url = new URL(given);
    url.pathname = `${url.pathname.replace(/\/$/, "")}/test-${process.pid}-${Date.now()}`;
    return {
      environment: { STORAGE_URL: url.href, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY },
      stop: async () => {},
    };
  }
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "swift-"));
  const port = await freePortsOf(4);
  const script = fileURLToPath(new URL("swift_s3.py", import.meta.url));
  let child = await startSwift([script, folder, String(port)]);
  const endpoint = `http://127.0.0.1:${port}`;
  const environment = { STORAGE_URL: `s3://videos/site?endpoint=${endpoint}`, ...SWIFT_KEYS };
  await clientOf(environment).client.send(new CreateBucketCommand({ Bucket: "videos" }));
  return {
    environment,
    child,
    async kill() {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
    async start() {
      child = await startSwift([script, folder, String(port)]);
    },
    async stop() {
      if (child.exitCode === null && !child.signalCode) {
        const ended = once(child, "exit");
        child.kill("SIGCONT");
        child.kill("SIGTERM");
        await ended;
      }
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A client beside the site's own, and what names an object of the site for it. */
export function clientOf({
  STORAGE_URL,
  AWS_ACCESS_KEY_ID,
  AWS_SECRET_ACCESS_KEY,
}: S3Server["environment"]) {
  const address = parseStorageUrl(STORAGE_URL);
  if (address?.kind !== "s3") throw new Error(STORAGE_URL);
  const { endpoint, region, bucket, prefix } = address;
  const credentials = { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY };
  const client = new S3Client({
    endpoint,
    region,
    credentials,
    forcePathStyle: true,
    requestChecksumCalculation: "WHEN_REQUIRED",
  });
  return { client, objectAt: (key: string) => ({ Bucket: bucket, Key: prefix + key }) };
}

/** Leaves half an object in the store, as a process does that is killed. */
export async function beginUpload(environment: S3Server["environment"], key: string) {
  const { client, objectAt } = clientOf(environment);
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(objectAt(key)));
  await client.send(
    new UploadPartCommand({ ...objectAt(key), UploadId, PartNumber: 1, Body: Buffer.alloc(64) }),
  );
}

/** Runs it until it listens. */
async function startSwift(args: string[]): Promise<ChildProcess> {
  const child = spawn("/usr/bin/python3", args, { stdio: ["ignore", "pipe", "inherit"] });
  // Read to its end: a pipe that is closed ends the process at its next line.
  let printed = "";
  child.stdout.on("data", (chunk) => {
    printed += chunk;
  });
  while (!printed.includes("\n")) await once(child.stdout, "data");
  return child;
}

/** The first of some ports beside each other that nobody listens on. */
async function freePortsOf(count: number): Promise<number> {
  for (;;) {
    const first = 20_000 + Math.floor(Math.random() * 10_000);
    const ports = Array.from({ length: count }, (_, index) => first + index);
    if ((await Promise.all(ports.map(isFree))).every(Boolean)) return first;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
