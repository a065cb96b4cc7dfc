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
 * The tests use a real S3-compatible server: the one at S3_TEST_URL, with the keys from the environment, or else
 * OpenStack Swift in a single process. `npm test` installs Swift, or reports which tests were skipped if it can't.
 */
const SWIFT = "/usr/lib/python3/dist-packages/swift/common/middleware/s3api";
export const hasS3Server = Boolean(process.env.S3_TEST_URL) || fs.existsSync(SWIFT);

/** The access keys of the account that Swift is started with. */
const SWIFT_KEYS = { AWS_ACCESS_KEY_ID: "test:tester", AWS_SECRET_ACCESS_KEY: "testing" };

export interface S3Server {
  /** The settings for a site whose videos are in this bucket, under a separate prefix. */
  environment: { STORAGE_URL: string; AWS_ACCESS_KEY_ID: string; AWS_SECRET_ACCESS_KEY: string };
  /** The server process, if this module started it. */
  child?: ChildProcess;
  /** Kills the server process. */
  kill?(): Promise<void>;
  /** Restarts the server process with the same data. */
  start?(): Promise<void>;
  stop(): Promise<void>;
}

export async function startS3Server(): Promise<S3Server> {
  const externalUrl = process.env.S3_TEST_URL;
  if (externalUrl) {
    const { AWS_ACCESS_KEY_ID = "", AWS_SECRET_ACCESS_KEY = "" } = process.env;
    const url = new URL(externalUrl);
    url.pathname = `${url.pathname.replace(/\/$/, "")}/test-${process.pid}-${Date.now()}`;
    return {
      environment: { STORAGE_URL: url.href, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY },
      stop: async () => {},
    };
  }
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "swift-"));
  const port = await findFreePorts(4);
  const script = fileURLToPath(new URL("swift_s3.py", import.meta.url));
  let child = await startSwift([script, folder, String(port)]);
  const endpoint = `http://127.0.0.1:${port}`;
  const environment = { STORAGE_URL: `s3://videos/site?endpoint=${endpoint}`, ...SWIFT_KEYS };
  await clientOf(environment).client.send(new CreateBucketCommand({ Bucket: "videos" }));
  return {
    environment,
    child,
    async kill() {
      const exit = once(child, "exit");
      child.kill("SIGKILL");
      await exit;
    },
    async start() {
      child = await startSwift([script, folder, String(port)]);
    },
    async stop() {
      if (child.exitCode === null && !child.signalCode) {
        const exit = once(child, "exit");
        child.kill("SIGCONT");
        child.kill("SIGTERM");
        await exit;
      }
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Returns an S3 client that is independent of the site's client, and a function that returns the parameters for an
 * object.
 */
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

/** Leaves an incomplete multipart upload in the store, as a killed process does. */
export async function beginUpload(environment: S3Server["environment"], key: string) {
  const { client, objectAt } = clientOf(environment);
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(objectAt(key)));
  await client.send(
    new UploadPartCommand({ ...objectAt(key), UploadId, PartNumber: 1, Body: Buffer.alloc(64) }),
  );
}

/** Starts Swift and waits until it is listening. */
async function startSwift(args: string[]): Promise<ChildProcess> {
  const child = spawn("/usr/bin/python3", args, { stdio: ["ignore", "pipe", "inherit"] });
  // Keeps reading the output. Otherwise, the pipe would be closed, and the process would be terminated the next time it
  // prints a line.
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  while (!output.includes("\n")) await once(child.stdout, "data");
  return child;
}

/** Returns the first of `count` consecutive free ports. */
async function findFreePorts(count: number): Promise<number> {
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
