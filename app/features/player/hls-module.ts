import url from "~hls/hls.mjs?url";

/** The URL of hls.js, which pages use to preload it. */
export const HLS_MODULE_URL: string = url;

/** Imports hls.js from its fixed URL, which, unlike a build chunk's URL, is also known to the server. */
export async function importHls(): Promise<typeof import("hls.js")> {
  return import(/* @vite-ignore */ HLS_MODULE_URL);
}
