// A site of one route that takes an upload with Remix's own handler, for remix-serve.
import os from "node:os";
import {
  unstable_createFileUploadHandler as createFileUploadHandler,
  unstable_parseMultipartFormData as parseMultipartFormData,
} from "@remix-run/node";

const toDisk = createFileUploadHandler({
  directory: process.env.UPLOAD_FOLDER ?? os.tmpdir(),
  // Its own limit is 3 MB.
  maxPartSize: Number.MAX_SAFE_INTEGER,
});

async function action({ request }) {
  await parseMultipartFormData(request, async (part) => {
    if (part.filename) return toDisk(part);
    for await (const _ of part.data);
    return "";
  });
  return new Response(null, { status: 302, headers: { Location: "/admin" } });
}

export const entry = { module: { default: () => new Response() } };
export const routes = { upload: { id: "upload", path: "admin", module: { action } } };
export const assets = {
  entry: { imports: [], module: "" },
  routes: { upload: { id: "upload", path: "admin", module: "", hasAction: true } },
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
export const publicPath = "/assets-of-nothing/";
export const basename = "/";
export const isSpaMode = false;
export const mode = "production";
