import { useEffect, useId, useState } from "react";
import { captureFrames } from "./video-frames";

const FRAMES = 6;

/** Chooses one of the video's own pictures as its thumbnail, when no file was chosen for it. */
export function FramePicker({
  file,
  chosen,
  onChoose,
}: {
  file: File;
  chosen: Blob | undefined;
  onChoose: (frame: Blob | undefined) => void;
}) {
  const name = useId();
  const [frames, setFrames] = useState<{ blob: Blob; url: string }[]>();

  useEffect(() => {
    let gone = false;
    const urls: string[] = [];
    setFrames(undefined);
    captureFrames(file, FRAMES).then((blobs) => {
      if (gone) return;
      setFrames(
        blobs.map((blob) => {
          const url = URL.createObjectURL(blob);
          urls.push(url);
          return { blob, url };
        }),
      );
    });
    return () => {
      gone = true;
      for (const url of urls) URL.revokeObjectURL(url);
    };
  }, [file]);

  if (frames === undefined) {
    return <p className="text-sm text-muted">Looking for pictures in the video...</p>;
  }
  if (frames.length === 0) return null;
  return (
    <fieldset>
      <legend className="mb-1.5 text-sm font-medium">Or pick a frame of the video</legend>
      <div className="grid grid-cols-2 gap-2 xs:grid-cols-3">
        {frames.map(({ blob, url }, index) => (
          <label
            key={url}
            className="relative block cursor-pointer overflow-hidden rounded-md border-2 border-transparent has-checked:border-accent has-focus-visible:outline-2 has-focus-visible:outline-accent"
          >
            <input
              type="radio"
              name={name}
              checked={chosen === blob}
              onChange={() => onChoose(blob)}
              onClick={() => chosen === blob && onChoose(undefined)}
              className="sr-only"
            />
            <img
              src={url}
              alt={`Frame ${index + 1}`}
              className="aspect-video w-full object-cover"
            />
          </label>
        ))}
      </div>
    </fieldset>
  );
}
