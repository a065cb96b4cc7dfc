import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "../../free-port";
import { MULTIPART } from "../../site-client";
import { GOOD_TEXTS } from "../../upload-requests";
import { sendVideo, type UploadCost } from "./upload-sender";
import { MIB, VIDEO_BYTES } from "./upload-site";

/**
 * Measures the cost of a 2 GiB multipart upload to a site on remix-serve that receives uploads in a common way.
 * @param route `/admin` for Remix's own handler, or `/busboy` for busboy, a digest and a pipeline.
 */
export async function measureStock(route: "/admin" | "/busboy"): Promise<UploadCost> {
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
    const url = `http://127.0.0.1:${port}${route}`;
    const send = (bytes: number) => sendVideo(child.pid ?? 0, url, bytes, MULTIPART, GOOD_TEXTS);
    await send(64 * MIB);
    const cost = await send(VIDEO_BYTES);
    if (cost.status !== 302) throw new Error(`The stock site returned status ${cost.status}.`);
    return cost;
  } finally {
    child.kill("SIGKILL");
    fs.rmSync(folder, { recursive: true, force: true });
  }
}
