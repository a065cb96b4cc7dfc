// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { dropPrefetch, findPrefetch, prefetchStart } from "~/features/player/prefetch";
import { prefetchLoader } from "~/features/player/prefetch-loader";

const start = (name: string) => ({ playlistUrl: "", segmentUrl: `/media/${name}.mp4`, bytes: 10 });
const url = (name: string) => new URL(`/media/${name}.mp4`, location.href).href;
let requests: { url: string; range: string; signal: AbortSignal }[] = [];

beforeEach(() => {
  requests = [];
  vi.stubGlobal("MediaSource", class {});
  vi.stubGlobal("fetch", async (url: string, { headers, signal }: RequestInit) => {
    requests.push({ url, range: (headers as Record<string, string>).Range!, signal: signal! });
    return new Response(new Uint8Array(10), { status: 206 });
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  Reflect.deleteProperty(navigator, "connection");
});

it("requests the byte range once, and aborts the request when another stream is prefetched", async () => {
  prefetchStart(start("one"));
  prefetchStart(start("one"));
  expect(requests).toHaveLength(1);
  expect(requests[0]).toMatchObject({ url: url("one"), range: "bytes=0-9" });
  expect((await findPrefetch(url("one"), 10)?.bytes)?.byteLength).toBe(10);
  expect(findPrefetch(url("one"), 11)).toBeUndefined();
  expect(findPrefetch(url("two"), 10)).toBeUndefined();
  prefetchStart(start("two"));
  expect(requests[0]?.signal.aborted).toBe(true);
  const two = findPrefetch(url("two"), 4)!;
  dropPrefetch(two);
  expect(findPrefetch(url("two"), 4)).toBeUndefined();
});

it("doesn't yield any bytes when the server doesn't return the range", async () => {
  vi.stubGlobal("fetch", async () => new Response("all of it", { status: 200 }));
  prefetchStart(start("three"));
  expect(await findPrefetch(url("three"), 10)?.bytes).toBeUndefined();
});

it("doesn't request anything when the browser's data saver is on", () => {
  Object.defineProperty(navigator, "connection", {
    configurable: true,
    value: { saveData: true },
  });
  prefetchStart(start("four"));
  expect(requests).toEqual([]);
  expect(findPrefetch(url("four"), 10)).toBeUndefined();
});

it("responds in a new task, as a network request would", async () => {
  prefetchStart(start("five"));
  const ownLoad = vi.fn();
  class OwnLoader {
    stats = { loading: {} };
    load(): void {
      ownLoad();
    }
  }
  const hls = { DefaultConfig: { loader: OwnLoader } };
  const loader = new (prefetchLoader(hls as never))({} as never);
  const onSuccess = vi.fn();
  const range = { url: url("five"), rangeStart: 0, rangeEnd: 10 };
  await findPrefetch(url("five"), 10)?.bytes;
  loader.load(range as never, {} as never, { onSuccess } as never);
  for (let tick = 0; tick < 20; tick += 1) await Promise.resolve();
  expect(onSuccess).not.toHaveBeenCalled();
  await vi.waitFor(() => expect(onSuccess).toHaveBeenCalledTimes(1));
  expect(onSuccess.mock.calls[0]?.[0].data.byteLength).toBe(10);
  expect(ownLoad).not.toHaveBeenCalled();
});
