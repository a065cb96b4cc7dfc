import Hls, { type HlsConfig } from "hls.js";
import { efficientCodecs, playedCodecFilter } from "./efficient-codec";

/**
 * How long to wait for the browser to report its codecs, which usually takes a few milliseconds. After this time, H.264
 * is used.
 */
const MAX_WAIT_MS = 100;

// Determined once, before the first playlist is loaded.
const efficient = await Promise.race([
  efficientCodecs(),
  new Promise<string[]>((resolve) => setTimeout(resolve, MAX_WAIT_MS, [])),
]);

/**
 * A version of hls.js that plays only the renditions in one codec. The other renditions are removed before any of them
 * is requested.
 */
export default class OneCodecHls extends Hls {
  constructor(config?: Partial<HlsConfig>) {
    super(config);
    this.once(Hls.Events.MANIFEST_PARSED, () => {
      const isPlayed = playedCodecFilter(this.levels, efficient);
      const others = [...this.levels.entries()].filter(([, level]) => !isPlayed(level));
      for (const [index] of others.reverse()) this.removeLevel(index);
    });
  }
}
