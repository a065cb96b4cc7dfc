import Hls, { type HlsConfig } from "hls.js";
import { efficientCodecs, playedCodecFilter } from "./efficient-codec";

/** Browsers respond within milliseconds. If a browser takes longer than this, H.264 is used. */
const MAX_WAIT_MS = 100;

// Determined once, before the first playlist is loaded.
const efficient = await Promise.race([
  efficientCodecs(),
  new Promise<string[]>((resolve) => setTimeout(resolve, MAX_WAIT_MS, [])),
]);

/** hls.js, limited to the renditions in one codec before it requests anything in another. */
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
