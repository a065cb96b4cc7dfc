import type {
  FragmentLoaderConstructor,
  default as Hls,
  LoaderCallbacks,
  LoaderContext,
} from "hls.js";
import { dropPrefetch, findPrefetch, nextTask, type Prefetch } from "./prefetch";

/** Returns a loader for hls.js that uses prefetched data if available. */
export function prefetchLoader(HlsPlayer: typeof Hls): FragmentLoaderConstructor {
  const Loader = HlsPlayer.DefaultConfig.loader;
  class PrefetchLoader extends Loader {
    private isOver = false;
    private pending: Prefetch | undefined;

    override load(...args: Parameters<InstanceType<typeof Loader>["load"]>): void {
      const [context, , callbacks] = args;
      const { url, rangeStart = 0, rangeEnd = 0 } = context;
      const prefetch = findPrefetch(url, rangeEnd);
      if (!prefetch) {
        super.load(...args);
        return;
      }
      this.pending = prefetch;
      void prefetch.bytes.then(async (bytes) => {
        await nextTask();
        if (this.isOver) return;
        this.pending = undefined;
        if (!bytes) {
          super.load(...args);
          return;
        }
        if (rangeEnd === prefetch.size) dropPrefetch(prefetch);
        this.respond(prefetch, bytes.slice(rangeStart, rangeEnd), context, callbacks);
      });
    }

    /**
     * Responds with the prefetched data. Its timing is shifted to the present, because hls.js uses the timing to
     * estimate the bandwidth.
     */
    private respond(
      prefetch: Prefetch,
      data: ArrayBuffer,
      context: LoaderContext,
      callbacks: LoaderCallbacks<LoaderContext>,
    ): void {
      const { stats } = this;
      const since = performance.now() - prefetch.end;
      const { start, first, end } = prefetch;
      Object.assign(stats.loading, {
        start: start + since,
        first: first + since,
        end: end + since,
      });
      stats.loaded = data.byteLength;
      stats.total = data.byteLength;
      callbacks.onSuccess({ url: context.url, data, code: 206 }, stats, context, null);
    }

    /** Discards a prefetch that didn't arrive in time. */
    private finish(): void {
      this.isOver = true;
      if (this.pending) dropPrefetch(this.pending);
    }

    override abort(): void {
      this.finish();
      super.abort();
    }

    override destroy(): void {
      this.finish();
      super.destroy();
    }
  }
  return PrefetchLoader as unknown as FragmentLoaderConstructor;
}
