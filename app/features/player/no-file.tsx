/** Instead of the player when the video has no file (specification, section 2, Video detail). */
export function NoFile({
  posterUrl,
  preparing,
}: {
  posterUrl?: string | null;
  /** It is being converted, so coming back is worth it. */
  preparing?: boolean;
}) {
  return (
    <div className="player player-without-file">
      {posterUrl ? <img className="player-poster" src={posterUrl} alt="" /> : null}
      <div className="player-notice">
        <p className="player-notice-title">Video not available</p>
        <p>Please try again later.</p>
        {preparing ? <p>It is being prepared.</p> : null}
      </div>
    </div>
  );
}
