/** hls.js as scripts/hls-build.ts builds it. */
declare module "~hls/hls.mjs?url" {
  const url: string;
  export default url;
}
