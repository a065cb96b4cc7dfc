/** The types of hls.js as built by scripts/hls-build.ts. */
declare module "~hls/hls.mjs?url" {
  const url: string;
  export default url;
}
