import Hls, { type HlsConfig } from "hls.js";
import { efficientCodecs, isPlayedOf } from "./efficient-codec";

/** Browsers answer within milliseconds; one that takes longer gets H.264. */
const MAX_MS = 100;

// Determined once, before the first playlist is loaded.
const efficient = await Promise.race([
  efficientCodecs(),
  new Promise<string[]>((resolve) => setTimeout(resolve, MAX_MS, [])),
]);

/** hls.js limited to the renditions of one codec, before it requests anything of another. */
export default class OneCodecHls extends Hls {
  constructor(config?: Partial<HlsConfig>) {
    super(config);
    this.once(Hls.Events.MANIFEST_PARSED, () => {
      const isPlayed = isPlayedOf(this.levels, efficient);
      const others = [...this.levels.entries()].filter(([, level]) => !isPlayed(level));
      for (const [index] of others.reverse()) this.removeLevel(index);
    });
  }
}
