/** Reading a video file in the browser: how long it is, and pictures of it. */

const LOADS_WITHIN_MS = 15_000;
const FRAME_WIDTH = 1280;
const FRAME_QUALITY = 0.85;

/** The file opened in a video element; `close` gives its memory back. */
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
    const timer = setTimeout(() => reject(new Error("The video does not load.")), LOADS_WITHIN_MS);
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

/** Seconds; undefined when this browser cannot tell. */
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

/** Pictures spread evenly over the video; none when this browser cannot play it. */
export async function captureFrames(file: File, count: number): Promise<Blob[]> {
  try {
    const { video, close } = await openVideo(file, "auto");
    const frames: Blob[] = [];
    try {
      for (let index = 0; index < count; index += 1) {
        video.currentTime = (video.duration * (index + 0.5)) / count;
        await happens(video, "seeked");
        const frame = await picture(video);
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

function picture(video: HTMLVideoElement): Promise<Blob | null> {
  const scale = Math.min(1, FRAME_WIDTH / video.videoWidth);
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(video.videoWidth * scale);
  canvas.height = Math.round(video.videoHeight * scale);
  canvas.getContext("2d")?.drawImage(video, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", FRAME_QUALITY));
}
