import url from "~hls/hls.mjs?url";

/** URL of hls.js, so that pages can preload it. */
export const HLS_MODULE_URL: string = url;

/** Imports hls.js from its fixed URL, which the server knows too, unlike that of a build chunk. */
export async function importHls(): Promise<typeof import("hls.js")> {
  return import(/* @vite-ignore */ HLS_MODULE_URL);
}
