import { Film } from "lucide-react";
import { useEffect, useId, useState } from "react";
import { captureFrames } from "./video-frames";

const FRAMES = 6;

/** Chooses one of the video's own pictures as its thumbnail, when no file was chosen for it. */
export function FramePicker({
  file,
  chosen,
  onChoose,
  isLarge = false,
}: {
  file: File;
  chosen: Blob | undefined;
  onChoose: (frame: Blob | undefined) => void;
  /** Shows the picture that the video will have above the frames. */
  isLarge?: boolean;
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

  const chosenUrl = useObjectUrl(chosen);
  const picture = isLarge && <Picture url={chosenUrl ?? frames?.[0]?.url} />;
  if (frames === undefined) {
    return (
      <>
        {picture}
        <p className="text-sm text-muted">Looking for pictures in the video...</p>
      </>
    );
  }
  if (frames.length === 0) return picture || null;
  return (
    <>
      {picture}
      <fieldset>
        <legend className="mb-1.5 text-sm font-medium">Or pick a frame of the video</legend>
        <div className="grid grid-cols-2 gap-2 xs:grid-cols-3">
          {frames.map(({ blob, url }, index) => (
            <label
              key={url}
              className="relative block cursor-pointer overflow-hidden rounded-md border-2 border-transparent has-checked:border-accent has-focus-visible:focused"
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
    </>
  );
}

/** The picture that the video will have; a sign while there is none. */
function Picture({ url }: { url: string | undefined }) {
  if (url) {
    return (
      <img
        src={url}
        alt="What the video will be shown with"
        className="aspect-video w-full rounded-md bg-raised object-cover"
      />
    );
  }
  return (
    <div
      aria-hidden="true"
      className="grid aspect-video w-full place-items-center rounded-md bg-raised text-muted"
    >
      <Film className="size-10" />
    </div>
  );
}

/** An address of a blob for as long as it is shown. */
function useObjectUrl(blob: Blob | undefined): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (!blob) return;
    const created = URL.createObjectURL(blob);
    setUrl(created);
    return () => {
      URL.revokeObjectURL(created);
      setUrl(undefined);
    };
  }, [blob]);
  return url;
}
