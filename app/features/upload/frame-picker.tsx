import { Film } from "lucide-react";
import { useEffect, useId, useState } from "react";

const FRAMES = 6;

/** Offers frames from the video as thumbnails if no image file has been selected. */
export function FramePicker({
  file,
  chosen,
  onChoose,
  isLarge = false,
}: {
  file: File;
  chosen: Blob | undefined;
  onChoose: (frame: Blob | undefined) => void;
  /** Shows the selected thumbnail above the frames. */
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
  const largeFrame = isLarge && <LargeFrame url={chosenUrl ?? frames?.[0]?.url} />;
  if (frames === undefined) {
    return (
      <>
        {largeFrame}
        <p className="text-sm text-muted">Extracting frames…</p>
      </>
    );
  }
  if (frames.length === 0) return largeFrame || null;
  return (
    <>
      {largeFrame}
      <fieldset>
        <legend className="mb-1.5 text-sm font-medium">Or choose a frame</legend>
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

/** The selected thumbnail, or an icon if none is selected. */
function LargeFrame({ url }: { url: string | undefined }) {
  if (url) {
    return (
      <img
        src={url}
        alt="Selected thumbnail"
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

/** Returns an object URL for a blob, valid while the component is mounted. */
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

/** The duration and frames of a video file, read in the browser. */

const LOADS_WITHIN_MS = 15_000;
const FRAME_WIDTH = 1280;
const FRAME_QUALITY = 0.85;

/** Opens the file in a video element. `close` releases the element's memory. */
async function openVideo(file: File, preload: "metadata" | "auto") {
  const video = document.createElement("video");
  const url = URL.createObjectURL(file);
  video.preload = preload;
  video.muted = true;
  video.playsInline = true;
  const close = () => {
    video.removeAttribute("src");
    video.load();
    URL.revokeObjectURL(url);
  };
  try {
    video.src = url;
    await happens(video, preload === "metadata" ? "loadedmetadata" : "loadeddata");
    return { video, close };
  } catch (error) {
    close();
    throw error;
  }
}

function happens(video: HTMLVideoElement, event: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error("The video took too long to load.")),
      LOADS_WITHIN_MS,
    );
    const finish = (done: () => void) => () => {
      clearTimeout(timer);
      done();
    };
    video.addEventListener(event, finish(resolve), { once: true });
    video.addEventListener(
      "error",
      finish(() => reject(video.error)),
      { once: true },
    );
  });
}

/** Returns the duration in seconds, or undefined if the browser can't determine it. */
export async function detectDuration(file: File): Promise<number | undefined> {
  try {
    const { video, close } = await openVideo(file, "metadata");
    const seconds = video.duration;
    close();
    return Number.isFinite(seconds) && seconds > 0 ? seconds : undefined;
  } catch {
    return undefined;
  }
}

/** Returns frames spread evenly over the video, or an empty list if the browser can't play it. */
async function captureFrames(file: File, count: number): Promise<Blob[]> {
  try {
    const { video, close } = await openVideo(file, "auto");
    const frames: Blob[] = [];
    try {
      for (let index = 0; index < count; index += 1) {
        video.currentTime = (video.duration * (index + 0.5)) / count;
        await happens(video, "seeked");
        const frame = await captureFrame(video);
        if (frame) frames.push(frame);
      }
    } finally {
      close();
    }
    return frames;
  } catch {
    return [];
  }
}

function captureFrame(video: HTMLVideoElement): Promise<Blob | null> {
  const scale = Math.min(1, FRAME_WIDTH / video.videoWidth);
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(video.videoWidth * scale);
  canvas.height = Math.round(video.videoHeight * scale);
  canvas.getContext("2d")?.drawImage(video, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", FRAME_QUALITY));
}
