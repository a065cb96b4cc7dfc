import { useEffect, useState } from "react";
import { unfinishedUploads } from "./resumable-transfer";

const LIFE_MS = 24 * 3_600 * 1000;

/** Uploads that a reload interrupted: choosing the same file again goes on where they stopped. */
export function UnfinishedUploads() {
  const [names, setNames] = useState<string[]>([]);
  useEffect(() => {
    let gone = false;
    unfinishedUploads()
      .then((uploads) => {
        const young = uploads.filter(
          ({ creationTime }) => Date.now() - Date.parse(creationTime) < LIFE_MS,
        );
        const found = young.map(({ metadata }) => metadata.filename ?? "").filter(Boolean);
        if (!gone) setNames([...new Set(found)]);
      })
      .catch(() => {});
    return () => {
      gone = true;
    };
  }, []);
  if (names.length === 0) return null;
  return (
    <p className="text-sm text-muted">
      Not finished: <strong className="font-medium text-ink">{names.join(", ")}</strong>. Choose the
      same file again to go on where it stopped.
    </p>
  );
}
