import { useEffect, useState } from "react";
import { fetchCards } from "~/features/catalogue/cards/fetch-cards";
import { videoPath } from "~/shared/addresses";
import { videosIn } from "./reported-addresses";

/** Waits this long after the last keystroke before it searches. */
const WAIT_MS = 400;

/** The titles of the public videos found in a text, and the ids of the others. */
interface Found {
  titles: string[];
  missing: string[];
}

/** Shows while somebody types which videos the text refers to. Needs JavaScript. */
export function FoundVideos({ text }: { text: string }) {
  const found = useFound(text);
  if (!found) return <p role="status" />;
  const { titles, missing } = found;
  return (
    <div role="status" className="flex flex-col gap-1 text-sm wrap-anywhere">
      {titles.map((title, at) => (
        <p key={at} className="text-good">
          Found: <bdi>{title}</bdi>
        </p>
      ))}
      {missing.map((id) => (
        <p key={id} className="text-warn">
          We can't find this video: {videoPath(id)}
        </p>
      ))}
      {titles.length + missing.length === 0 && (
        <p className="text-warn">
          No video address found. Video addresses begin with {location.origin}/video/
        </p>
      )}
    </div>
  );
}

function useFound(text: string): Found | undefined {
  const [found, setFound] = useState<Found>();
  useEffect(() => {
    setFound(undefined);
    if (!text.trim()) return;
    const ids = videosIn(text);
    const aborter = new AbortController();
    const look = async () => {
      const cards = ids.length > 0 ? await fetchCards(ids, aborter.signal) : [];
      const isFound = (id: string) => cards.some((card) => card.id === id);
      setFound({
        titles: cards.map(({ title }) => title),
        missing: ids.filter((id) => !isFound(id)),
      });
    };
    // If this fails, the response to the form reports missing videos.
    const timer = setTimeout(() => look().catch(() => {}), WAIT_MS);
    return () => {
      clearTimeout(timer);
      aborter.abort();
    };
  }, [text]);
  return found;
}
