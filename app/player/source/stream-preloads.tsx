import { useNonce } from "~/ui/page-frame/nonce";
import type { StreamStart } from "../types";
import { firstPoster } from "../use-poster";
import { HLS_MODULE_URL } from "./hls-module";

/** In small letters, because React 18 does not know the attribute by another name. */
const FIRST = { fetchpriority: "high" };

/**
 * It is as long as the page's other scripts together: asked for after the first paint, and behind
 * them. An iPhone, which has no media source for scripts, does not need it.
 */
const PRELOAD_MODULE = `"MediaSource" in window && new PerformanceObserver((paints, observer) => {
  observer.disconnect();
  document.head.append(Object.assign(document.createElement("link"),
    { rel: "modulepreload", fetchPriority: "low", href: ${JSON.stringify(HLS_MODULE_URL)} }));
}).observe({ type: "paint", buffered: true })`;

/**
 * What the player asks for first, asked for by the page: else the playlists and the script that
 * reads them would come one after the other, each a delay of the line later. The poster before them, since it
 * is the largest paint, and a browser asks for no more than six files of a site at once.
 */
export function StreamPreloads({
  posterUrl,
  hlsUrl,
  streamStart,
}: {
  posterUrl: string | null;
  hlsUrl: string;
  streamStart: StreamStart | undefined;
}) {
  const poster = firstPoster(posterUrl);
  const nonce = useNonce();
  return (
    <>
      {poster && <link rel="preload" as="image" href={poster} {...FIRST} />}
      <script
        nonce={nonce}
        suppressHydrationWarning
        dangerouslySetInnerHTML={{ __html: PRELOAD_MODULE }}
      />
      {[hlsUrl, streamStart?.playlistUrl, streamStart?.sound?.playlistUrl].map((href) =>
        href ? (
          <link key={href} rel="preload" as="fetch" href={href} crossOrigin="anonymous" />
        ) : null,
      )}
    </>
  );
}
