import url from "hls.js/dist/hls.light.min.mjs?url";

/** Of the script that plays streams, for the page to ask for it early. */
export const HLS_MODULE_URL: string = url;

/** By its own address, which the server knows too: that of a chunk is made by the build. */
export async function importHls(): Promise<typeof import("hls.js/light")> {
  return import(/* @vite-ignore */ HLS_MODULE_URL);
}
