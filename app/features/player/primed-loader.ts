import type {
  FragmentLoaderConstructor,
  default as Hls,
  LoaderCallbacks,
  LoaderContext,
} from "hls.js";
import { dropPrimed, nextTask, type Primed, primedStart } from "./primed-start";

/** Returns a loader for hls.js that uses prefetched data where available. */
export function primedLoader(HlsPlayer: typeof Hls): FragmentLoaderConstructor {
  const Loader = HlsPlayer.DefaultConfig.loader;
  class PrimedLoader extends Loader {
    private isOver = false;
    private waitsFor: Primed | undefined;

    override load(...args: Parameters<InstanceType<typeof Loader>["load"]>): void {
      const [context, , callbacks] = args;
      const { url, rangeStart = 0, rangeEnd = 0 } = context;
      const own = primedStart(url, rangeEnd);
      if (!own) {
        super.load(...args);
        return;
      }
      this.waitsFor = own;
      void own.bytes.then(async (bytes) => {
        await nextTask();
        if (this.isOver) return;
        this.waitsFor = undefined;
        if (!bytes) {
          super.load(...args);
          return;
        }
        if (rangeEnd === own.size) dropPrimed(own);
        this.answer(own, bytes.slice(rangeStart, rangeEnd), context, callbacks);
      });
    }

    /** Responds with the prefetch's timing, shifted to now: hls.js estimates the bandwidth from it. */
    private answer(
      own: Primed,
      data: ArrayBuffer,
      context: LoaderContext,
      callbacks: LoaderCallbacks<LoaderContext>,
    ): void {
      const { stats } = this;
      const since = performance.now() - own.end;
      const { asked, first, end } = own;
      Object.assign(stats.loading, {
        start: asked + since,
        first: first + since,
        end: end + since,
      });
      stats.loaded = data.byteLength;
      stats.total = data.byteLength;
      callbacks.onSuccess({ url: context.url, data, code: 206 }, stats, context, null);
    }

    /** Drops a prefetch that didn't arrive in time. */
    private end(): void {
      this.isOver = true;
      if (this.waitsFor) dropPrimed(this.waitsFor);
    }

    override abort(): void {
      this.end();
      super.abort();
    }

    override destroy(): void {
      this.end();
      super.destroy();
    }
  }
  return PrimedLoader as unknown as FragmentLoaderConstructor;
}
