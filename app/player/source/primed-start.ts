import type Hls from "hls.js";
import type { FragmentLoaderConstructor, LoaderCallbacks, LoaderContext } from "hls.js";
import type { StreamStart } from "../types";

/** The beginning of a stream that was asked for before its player was there. */
interface Primed {
  url: string;
  size: number;
  /** Milliseconds, `performance.now()`. */
  asked: number;
  first: number;
  end: number;
  /** Undefined where it can't be had: the player asks itself. */
  bytes: Promise<ArrayBuffer | undefined>;
  stop: AbortController;
}

let primed: Primed | undefined;

/** Whether this visitor asks for as little as possible. */
export function savesData(): boolean {
  return (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true;
}

/** Asks for the beginning of one stream, by which another that nobody wanted is given up. */
export function primeStart({ segmentUrl, bytes: size }: StreamStart): void {
  const url = new URL(segmentUrl, window.location.href).href;
  if (savesData() || primed?.url === url) return;
  primed?.stop.abort();
  const own: Primed = {
    ...{ url, size, asked: performance.now(), first: 0, end: 0 },
    bytes: Promise.resolve(undefined),
    stop: new AbortController(),
  };
  own.bytes = fetchStart(own).catch(() => undefined);
  primed = own;
}

async function fetchStart(own: Primed): Promise<ArrayBuffer | undefined> {
  const headers = { Range: `bytes=0-${own.size - 1}` };
  const response = await fetch(own.url, { headers, signal: own.stop.signal });
  own.first = performance.now();
  if (response.status !== 206) return undefined;
  const bytes = await response.arrayBuffer();
  own.end = performance.now();
  return bytes;
}

/** The loader of hls.js, which takes what has been asked for already. */
export function primedLoader(HlsLight: typeof Hls): FragmentLoaderConstructor {
  const Loader = HlsLight.DefaultConfig.loader;
  class PrimedLoader extends Loader {
    private isOver = false;

    override load(...args: Parameters<InstanceType<typeof Loader>["load"]>): void {
      const [context, , callbacks] = args;
      const { url, rangeStart = 0, rangeEnd = 0 } = context;
      const own = primed;
      if (!own || own.url !== url || rangeEnd === 0 || rangeEnd > own.size) {
        super.load(...args);
        return;
      }
      void own.bytes.then((bytes) => {
        if (this.isOver) return;
        if (!bytes) {
          super.load(...args);
          return;
        }
        // The last part of it: what is left over of it is nothing.
        if (rangeEnd === own.size && primed === own) primed = undefined;
        this.answer(own, bytes.slice(rangeStart, rangeEnd), context, callbacks);
      });
    }

    /** With the times that it really took, by which the next rendition is chosen. */
    private answer(
      own: Primed,
      data: ArrayBuffer,
      context: LoaderContext,
      callbacks: LoaderCallbacks<LoaderContext>,
    ): void {
      const { stats } = this;
      Object.assign(stats.loading, { start: own.asked, first: own.first, end: own.end });
      stats.loaded = data.byteLength;
      stats.total = data.byteLength;
      callbacks.onSuccess({ url: context.url, data, code: 206 }, stats, context, null);
    }

    override abort(): void {
      this.isOver = true;
      super.abort();
    }

    override destroy(): void {
      this.isOver = true;
      super.destroy();
    }
  }
  return PrimedLoader as unknown as FragmentLoaderConstructor;
}
