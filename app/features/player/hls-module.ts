import url from "~hls/hls.mjs?url";

/** Of the script that plays streams, for the page to ask for it early. */
export const HLS_MODULE_URL: string = url;

/** By its own address, which the server knows too: that of a chunk is made by the build. */
export async function importHls(): Promise<typeof import("hls.js")> {
  return import(/* @vite-ignore */ HLS_MODULE_URL);
}
