import type { StreamStart } from "../types";
import { HLS_MODULE_URL } from "./hls-module";

/**
 * What the player asks for first, asked for by the page: else the playlists and the script that
 * reads them would come one after the other, each a delay of the line later.
 */
export function StreamPreloads({
  hlsUrl,
  streamStart,
}: {
  hlsUrl: string;
  streamStart: StreamStart | undefined;
}) {
  return (
    <>
      <link rel="modulepreload" href={HLS_MODULE_URL} />
      {[hlsUrl, streamStart?.playlistUrl].map((href) =>
        href ? (
          <link key={href} rel="preload" as="fetch" href={href} crossOrigin="anonymous" />
        ) : null,
      )}
    </>
  );
}
