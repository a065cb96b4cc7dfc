import { forwardRef, useCallback, useImperativeHandle, useRef } from "react";
import { frameAt, parseStoryboard, type StoryboardFrame } from "~/shared/streams/storyboard";
import { chapterAt } from "~/shared/timestamps";
import { formatTime, writeText } from "../media-time";
import { usePlayer } from "../player-context";

/** Of the bubble, in pixels, while there is no picture: room for "10:00:00", or a chapter's name. */
const BARE_WIDTH = 80;
const CHAPTER_WIDTH = 176;
/** Left and right, or above and below, of the picture. */
const BORDERS = 4;

export interface PreviewHandle {
  /** Fetches the pictures; a bubble that is shown meanwhile gets its own. */
  load(): Promise<void>;
  /** `x` and `width` in pixels of the bar. */
  show(seconds: number, x: number, width: number): void;
  hide(): void;
}

/** The time above the pointer, with the picture of that moment when there is a storyboard. */
export const SeekPreview = forwardRef<PreviewHandle, { storyboardUrl?: string }>(
  function SeekPreview({ storyboardUrl }, ref) {
    const { root, video } = usePlayer();
    const { chapters } = video;
    const bubble = useRef<HTMLDivElement>(null);
    const picture = useRef<HTMLDivElement>(null);
    const chapter = useRef<HTMLSpanElement>(null);
    const time = useRef<HTMLSpanElement>(null);
    const { load, frame } = useStoryboard(storyboardUrl);
    const drawn = useRef<StoryboardFrame | "nothing" | undefined>("nothing");
    const last = useRef<[seconds: number, x: number, width: number]>();

    const show = useCallback(
      (seconds: number, x: number, barWidth: number) => {
        const box = bubble.current;
        if (!box || !picture.current || !chapter.current || !time.current) return;
        void load();
        last.current = [seconds, x, barWidth];
        const image = frame(seconds);
        const bareWidth = chapters?.length ? CHAPTER_WIDTH : BARE_WIDTH;
        const width = Math.max(image ? image.width + BORDERS : 0, bareWidth);
        if (image !== drawn.current) {
          draw(root, box, picture.current, image, width, Boolean(chapters?.length));
        }
        drawn.current = image;
        writeText(chapter.current, chapterAt(chapters ?? [], seconds)?.name ?? "");
        writeText(time.current, formatTime(seconds));
        // Its width is given and never asked for, which would lay out the page in between.
        const half = width / 2;
        const middle = Math.min(Math.max(x, half), Math.max(barWidth - half, half));
        box.style.transform = `translateX(${Math.round(middle - half)}px)`;
        box.dataset.shown = "";
        // For the captions, which make room.
        root.dataset.preview = image ? "picture" : "time";
      },
      [root, load, frame, chapters],
    );

    useImperativeHandle(
      ref,
      () => ({
        show,
        async load() {
          await load();
          // The pointer may have come to rest before the pictures were there.
          const isShown = bubble.current?.dataset.shown !== undefined;
          if (isShown && last.current) show(...last.current);
        },
        hide() {
          delete bubble.current?.dataset.shown;
          delete root.dataset.preview;
        },
      }),
      [root, load, show],
    );

    return (
      <div ref={bubble} className="player-preview" aria-hidden="true">
        <div ref={picture} className="player-storyboard" hidden />
        <span ref={chapter} dir="auto" className="player-preview-chapter" />
        <span ref={time} />
      </div>
    );
  },
);

function draw(
  root: HTMLElement,
  box: HTMLElement,
  picture: HTMLElement,
  frame: StoryboardFrame | undefined,
  width: number,
  hasChapters: boolean,
): void {
  // The texts below the picture, and the gaps around them.
  const texts = hasChapters ? "3.625rem" : "2rem";
  const bare = hasChapters ? texts : "";
  const height = frame ? `calc(${frame.height + BORDERS}px + ${texts})` : bare;
  picture.hidden = frame === undefined;
  box.style.width = `${width}px`;
  box.style.height = height;
  root.style.setProperty("--preview-height", height);
  if (!frame) return;
  picture.style.width = `${frame.width}px`;
  picture.style.height = `${frame.height}px`;
  picture.style.backgroundImage = `url(${JSON.stringify(frame.sheet)})`;
  picture.style.backgroundPosition = `-${frame.x}px -${frame.y}px`;
}

/** The picture of a moment; fetched when it is first wanted. A storyboard that fails is none. */
function useStoryboard(url: string | undefined) {
  const loaded = useRef<{ url: string; frames: StoryboardFrame[] }>();

  const load = useCallback(async () => {
    if (!url || loaded.current?.url === url) return;
    const own = { url, frames: [] as StoryboardFrame[] };
    loaded.current = own;
    try {
      const response = await fetch(url);
      if (response.ok) own.frames = parseStoryboard(await response.text(), response.url);
    } catch {
      // Without it the bubble shows the time alone.
    }
  }, [url]);

  const frame = useCallback(
    (seconds: number) =>
      loaded.current && loaded.current.url === url
        ? frameAt(loaded.current.frames, seconds)
        : undefined,
    [url],
  );
  return { load, frame };
}
