import { useWatchedPart } from "~/features/visitor/watch-history";

/** At the foot of a poster, how much of its video was watched in this browser; nothing if none was. */
export function WatchedLine({ id, duration }: { id: string; duration: string }) {
  const part = useWatchedPart(id, duration);
  if (part === undefined) return null;
  return (
    <span className="watched-line">
      <span className="sr-only">{`Watched: ${Math.round(part * 100)} %`}</span>
      <span className="bg-accent" style={{ width: `${part * 100}%` }} />
    </span>
  );
}
