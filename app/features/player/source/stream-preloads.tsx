import type { StreamStart } from "../types";
import { firstPoster } from "../use-poster";
import { HLS_MODULE_URL } from "./hls-module";

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
