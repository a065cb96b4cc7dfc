import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { createRequire } from "node:module";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { MULTIPART } from "../../tests/site-client";
import { GOOD_TEXTS } from "../../tests/upload-requests";
import type { Report } from "./report";
import { sendVideo, type UploadCost } from "./upload-sender";
import { MIB, openUploadSite, VIDEO_BYTES } from "./upload-site";

const MOST_CPU_SHARE = 0.25;
const MOST_GROWN_MIB = 64;

/** The multipart form with 2 GiB, beside Remix's own file upload handler in remix-serve. */
export async function run(report: Report): Promise<void> {
  const stock = await measureStock();
  const site = await openUploadSite();
  try {
    const ours = await site.multipart(VIDEO_BYTES);
    report.figure("stock upload handler, 2 GiB", stock.cpuSeconds, "CPU-seconds");
    report.figure("stock upload handler, 2 GiB", stock.seconds, "s");
    report.figure("stock upload handler, memory grown", stock.grownBytes / MIB, "MiB");
    report.figure("multipart form, 2 GiB", ours.cpuSeconds, "CPU-seconds");
    report.figure("multipart form, 2 GiB", ours.seconds, "s");
    const share = ours.cpuSeconds / stock.cpuSeconds;
    report.atMost("multipart form, CPU beside the stock handler", share, MOST_CPU_SHARE);
    const grown = ours.grownBytes / MIB;
    report.atMost("multipart form, memory grown", grown, MOST_GROWN_MIB, "MiB");
  } finally {
    await site.close();
  }
}

async function measureStock(): Promise<UploadCost> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "stock-upload-"));
  const port = await freePort();
  const require = createRequire(import.meta.url);
  const serve = path.join(
    path.dirname(require.resolve("@remix-run/serve/package.json")),
    "dist/cli.js",
  );
  const build = fileURLToPath(new URL("stock-upload.mjs", import.meta.url));
  const child = spawn(process.execPath, [serve, build], {
    env: {
      ...process.env,
      NODE_ENV: "production",
      HOST: "127.0.0.1",
      PORT: String(port),
      UPLOAD_FOLDER: folder,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    await once(child.stdout, "data");
    const url = `http://127.0.0.1:${port}/admin`;
    const send = (bytes: number) => sendVideo(child.pid ?? 0, url, bytes, MULTIPART, GOOD_TEXTS);
    await send(64 * MIB);
    const cost = await send(VIDEO_BYTES);
    if (cost.status !== 302) throw new Error(`The stock handler answered ${cost.status}.`);
    return cost;
  } finally {
    child.kill("SIGKILL");
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as net.AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
