import { useEffect, useState } from "react";
import { HLS_MODULE_URL } from "./hls-module";
import { savesData } from "./prefetch";
import type { StreamStart } from "./types";

/** The attribute is lowercase, because React 18 doesn't support `fetchPriority`. */
const FIRST = { fetchpriority: "high" };

/**
 * Preloads the player's first requests. Otherwise, hls.js and the playlists would load one after the other, and each
 * would add a network round trip. The poster comes before them, since it is the largest contentful paint and browsers
 * load at most six files from a site at once. hls.js is loaded after the first paint and after the page's own scripts
 * (`ScriptsAfterPaint`).
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
  return (
    <>
      {poster && <link rel="preload" as="image" href={poster} {...FIRST} />}
      {[hlsUrl, streamStart?.playlistUrl, streamStart?.audio?.playlistUrl].map((href) =>
        href ? (
          <link
            key={href}
            rel="preload"
            as="fetch"
            href={href}
            crossOrigin="anonymous"
            data-stream-module={href === hlsUrl ? HLS_MODULE_URL : undefined}
          />
        ) : null,
      )}
    </>
  );
}

/** The width of the image at `?w=720`, see `media/serve/small-thumbnail.server.ts`. */
const SMALL_WIDTH_PIXELS = 720;
/** The maximum enlargement at which the smaller image still looks sharp. */
const MAX_ENLARGEMENT = 1.25;

/**
 * Returns the element's poster. A `poster` has one URL and no `srcset`, so every screen gets the smaller image with the
 * page, where it is the largest contentful paint on a phone. Wider screens switch to the full-size image once it has
 * loaded, unless the visitor's browser is set to save data.
 */
export function usePoster(
  url: string | null | undefined,
  element: HTMLVideoElement | null,
): string | undefined {
  const [loaded, setLoaded] = useState<string>();
  useEffect(() => {
    if (!url || firstPoster(url) === url || !element || !needsFullSize(element)) return;
    let isCurrent = true;
    const image = new Image();
    image.src = url;
    image.decode().then(
      () => isCurrent && setLoaded(url),
      // The full-size image couldn't be decoded, so the smaller one is kept.
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [url, element]);
  return url && loaded === url ? url : firstPoster(url);
}

/** Returns the poster that every screen gets with the page. */
function firstPoster(url: string | null | undefined): string | undefined {
  // There are no smaller versions of external images.
  return url?.startsWith("/media/thumbnails/")
    ? `${url}?w=${SMALL_WIDTH_PIXELS}`
    : (url ?? undefined);
}

function needsFullSize(element: HTMLVideoElement): boolean {
  const shown = element.clientWidth * devicePixelRatio;
  return !savesData() && shown > SMALL_WIDTH_PIXELS * MAX_ENLARGEMENT;
}
