/** The light build ships without types of its own; what it has is a part of the whole one. */
declare module "hls.js/light" {
  export { default, ErrorDetails, ErrorTypes, Events } from "hls.js";
}

declare module "hls.js/dist/hls.light.min.mjs?url" {
  const url: string;
  export default url;
}
