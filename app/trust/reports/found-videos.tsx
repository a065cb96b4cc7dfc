import { useEffect, useState } from "react";
import { videoPath } from "~/shared/addresses";
import { fetchCards } from "~/ui/cards/fetch-cards";
import { videosIn } from "./reported-addresses";

/** After the last letter: what is typed half is not looked for. */
const WAIT_MS = 400;

/** What was found of a text: the titles of public videos, and the ids of others. */
interface Found {
  titles: string[];
  missing: string[];
}

/** Says while somebody types which videos the site finds in the text. Nothing without scripts. */
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
          We find no address of a video here. One begins with {location.origin}/video/
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
    // What can't be asked now is said by the answer to the form.
    const timer = setTimeout(() => look().catch(() => {}), WAIT_MS);
    return () => {
      clearTimeout(timer);
      aborter.abort();
    };
  }, [text]);
  return found;
}
