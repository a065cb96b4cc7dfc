import { useEffect, useState } from "react";
import { HLS_MODULE_URL } from "./hls-module";
import { savesData } from "./primed-start";
import type { StreamStart } from "./types";

/** In small letters, because React 18 does not know the attribute by another name. */
const FIRST = { fetchpriority: "high" };

/**
 * What the player asks for first, asked for by the page: else the playlists and the script that
 * reads them would come one after the other, each a delay of the line later. The poster before them, since it
 * is the largest paint, and a browser asks for no more than six files of a site at once. The script comes
 * after the first paint and behind the page's own (`ScriptsAfterPaint`).
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
      {[hlsUrl, streamStart?.playlistUrl, streamStart?.sound?.playlistUrl].map((href) =>
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

/** What `?w=720` answers: see `media/serve/small-thumbnail.server.ts`. */
const SMALL_WIDTH_PIXELS = 720;
/** Up to here the smaller picture looks as sharp. */
const MAX_ENLARGEMENT = 1.25;

/**
 * The poster of the element. It has one address and not one for each width as an `<img>` has, so
 * every screen gets the smaller picture with the page, which is a phone's largest paint. A wider screen gets
 * the whole one when it has been loaded, but for who asks for less data.
 */
export function usePoster(
  url: string | null | undefined,
  element: HTMLVideoElement | null,
): string | undefined {
  const [loaded, setLoaded] = useState<string>();
  useEffect(() => {
    if (!url || firstPoster(url) === url || !element || !needsWholePicture(element)) return;
    let isCurrent = true;
    const picture = new Image();
    picture.src = url;
    picture.decode().then(
      () => isCurrent && setLoaded(url),
      // It cannot be read: the smaller one stays.
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [url, element]);
  return url && loaded === url ? url : firstPoster(url);
}

/** The poster that every screen gets with the page. */
function firstPoster(url: string | null | undefined): string | undefined {
  // Others than ours have no smaller version.
  return url?.startsWith("/media/thumbnails/")
    ? `${url}?w=${SMALL_WIDTH_PIXELS}`
    : (url ?? undefined);
}

function needsWholePicture(element: HTMLVideoElement): boolean {
  const shown = element.clientWidth * devicePixelRatio;
  return !savesData() && shown > SMALL_WIDTH_PIXELS * MAX_ENLARGEMENT;
}
