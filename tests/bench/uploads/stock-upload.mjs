// A site for remix-serve that receives uploads in common ways: at /admin with Remix's own handler, and at /busboy with
// busboy, a digest and a pipeline to the disk.
import { createHash, randomUUID } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Busboy } from "@fastify/busboy";
import {
  unstable_createFileUploadHandler as createFileUploadHandler,
  unstable_parseMultipartFormData as parseMultipartFormData,
} from "@remix-run/node";

const folder = process.env.UPLOAD_FOLDER ?? os.tmpdir();
const toDisk = createFileUploadHandler({
  directory: folder,
  // Remix's default limit is 3 MB.
  maxPartSize: Number.MAX_SAFE_INTEGER,
});

async function receiveByHandler({ request }) {
  await parseMultipartFormData(request, async (part) => {
    if (part.filename) return toDisk(part);
    for await (const _ of part.data);
    return "";
  });
  return new Response(null, { status: 302, headers: { Location: "/admin" } });
}

async function receiveByBusboy({ request }) {
  const parser = new Busboy({
    headers: { "content-type": request.headers.get("Content-Type") ?? "" },
  });
  const written = [];
  parser.on("file", (_field, file) => {
    const digest = createHash("sha256");
    file.on("data", (chunk) => digest.update(chunk));
    written.push(pipeline(file, fs.createWriteStream(path.join(folder, randomUUID()))));
  });
  await pipeline(Readable.fromWeb(request.body), parser);
  await Promise.all(written);
  return new Response(null, { status: 302, headers: { Location: "/busboy" } });
}

export const entry = { module: { default: () => new Response() } };
export const routes = {
  handler: { id: "handler", path: "admin", module: { action: receiveByHandler } },
  busboy: { id: "busboy", path: "busboy", module: { action: receiveByBusboy } },
};
export const assets = {
  entry: { imports: [], module: "" },
  routes: {
    handler: { id: "handler", path: "admin", module: "", hasAction: true },
    busboy: { id: "busboy", path: "busboy", module: "", hasAction: true },
  },
  url: "",
  version: "1",
};
export const future = {
  v3_fetcherPersist: true,
  v3_lazyRouteDiscovery: false,
  v3_relativeSplatPath: true,
  v3_singleFetch: true,
  v3_throwAbortReason: true,
};
export const assetsBuildDirectory = "build/client";
export const publicPath = "/no-assets/";
export const basename = "/";
export const isSpaMode = false;
export const mode = "production";
