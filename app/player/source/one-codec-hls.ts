import Hls, { type HlsConfig } from "hls.js";
import { efficientCodecs, isPlayedOf } from "./efficient-codec";

// Asked while the script is read, so that no stream waits for the answer.
const efficient = await efficientCodecs();

/** hls.js, which keeps the renditions of one codec before anything of another one is asked for. */
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
