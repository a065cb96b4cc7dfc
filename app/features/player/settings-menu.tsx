import {
  ArrowDownRight,
  Check,
  ChevronLeft,
  ChevronRight,
  Ear,
  Gauge,
  Keyboard,
  Languages,
  Link,
  Repeat,
  Share2,
  SlidersHorizontal,
} from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { classNames } from "~/ui/class-names";
import { copyText, share } from "~/ui/share";
import { useStore, useStored } from "~/ui/store";
import { useListener } from "~/ui/use-listener";
import type { Quality } from "./adaptive-source";
import { usePictureInPicture } from "./buttons";
import { SPEEDS } from "./constants";
import { miniPlayer } from "./continued";
import { CaptionsIcon, type IconType, PictureInPictureIcon } from "./icons";
import { canChangeLoudness, stableVolume } from "./loudness";
import { formatTime, linkAt } from "./media-time";
import { usePlayer } from "./player-context";
import { useEscape } from "./visibility";

/**
 * The menu for speed, quality, audio and captions, and for rarely used actions. Arrow keys move between items, and
 * Escape closes the menu.
 */
export function SettingsMenu({ onClose, onShortcuts }: { onClose(): void; onShortcuts(): void }) {
  const { root } = usePlayer();
  const pages = useChoicePages();
  const [page, setPage] = useState("main");
  const lastPage = useRef("main");
  const menu = useRef<HTMLDivElement>(null);
  useEscape(() => (page === "main" ? onClose() : setPage("main")));

  // When a page opens, focus moves to its current choice or, on the main page, to the item for the previous page.
  useEffect(() => {
    const start = page === "main" ? `[data-page="${lastPage.current}"]` : '[aria-checked="true"]';
    lastPage.current = page;
    const item = menu.current?.querySelector<HTMLElement>(start) ?? itemsOf(menu.current)[0];
    item?.focus();
  }, [page]);

  // Presses on the video or the settings button are handled by those elements.
  useListener("document", "pointerdown", ({ target }) => {
    if (target instanceof Element && !root.contains(target)) onClose();
  });

  const shown = pages.find(({ title }) => title === page);
  return (
    <div
      ref={menu}
      className="player-settings"
      role="menu"
      tabIndex={-1}
      aria-label="Settings"
      onKeyDown={(event) => {
        // Closing the menu returns focus to the button, so that Tab continues from there.
        if (event.key === "Tab") return onClose();
        if (event.key === "ArrowLeft" && page !== "main") {
          event.preventDefault();
          return setPage("main");
        }
        const items = itemsOf(menu.current);
        const now = items.indexOf(document.activeElement as HTMLElement);
        const next = nextItem(event.key, now, items.length);
        if (next === undefined) return;
        event.preventDefault();
        items.at(next)?.focus();
      }}
    >
      {shown ? (
        <>
          <button
            type="button"
            role="menuitem"
            className="player-item player-back"
            onClick={() => setPage("main")}
          >
            <ChevronLeft aria-hidden="true" />
            {shown.title}
          </button>
          {shown.choices.map(({ label, isChosen, choose }, index) => (
            <button
              key={index}
              type="button"
              role="menuitemradio"
              aria-checked={isChosen}
              className="player-item"
              onClick={() => {
                choose();
                onClose();
              }}
            >
              <Check aria-hidden="true" className={isChosen ? undefined : "invisible"} />
              {label}
            </button>
          ))}
        </>
      ) : (
        <MainPage pages={pages} open={setPage} onClose={onClose} onShortcuts={onShortcuts} />
      )}
    </div>
  );
}

/**
 * Returns the item that a key moves focus to (WAI-ARIA menu pattern): up and down wrap around, and Home and End go to
 * the first and last item.
 */
function nextItem(key: string, now: number, count: number): number | undefined {
  if (key === "ArrowDown") return (now + 1) % count;
  if (key === "ArrowUp") return now <= 0 ? -1 : now - 1;
  if (key === "Home") return 0;
  if (key === "End") return -1;
  return undefined;
}

function itemsOf(menu: HTMLElement | null): HTMLElement[] {
  return Array.from(menu?.querySelectorAll<HTMLElement>('[role^="menuitem"]') ?? []);
}

/** A page with the choices for one setting, including the current one. */
interface ChoicePage {
  title: string;
  icon: IconType;
  now: string;
  choices: { label: string; isChosen: boolean; choose(): void }[];
}

function choicePage<T>(
  title: string,
  icon: IconType,
  values: Iterable<T>,
  chosen: T,
  labelOf: (value: T) => string,
  choose: (value: T) => void,
): ChoicePage {
  const choices = Array.from(values, (value) => ({
    label: labelOf(value),
    isChosen: value === chosen,
    choose: () => choose(value),
  }));
  return { title, icon, now: labelOf(chosen), choices };
}

/** Returns the pages for all settings that offer a choice for this video. */
function useChoicePages(): ChoicePage[] {
  const { video, playback, commands, source, captions } = usePlayer();
  const speed = useStored(playback, "speed");
  const { chosen, heights, height, audioTracks, audioTrack } = useStore(source.state);
  const hasQualities = video.hlsUrl && (heights.length > 0 || chosen === "file");
  // There is no file while the video is being converted.
  const file = video.fileUrl === video.hlsUrl ? [] : ["file" as const];
  const qualities: (Quality | "file")[] = ["auto", ...heights, ...file];
  const qualityLabel = (quality: Quality | "file") => {
    if (quality === "file") return "Original";
    if (quality !== "auto") return `${quality}p`;
    return chosen === "auto" && height > 0 ? `Auto (${height}p)` : "Auto";
  };
  const speedLabel = (value: number) => (value === 1 ? "Normal" : `${value}×`);
  const audioTrackLabel = (index: number) => audioTracks[index]?.label ?? "";
  const captionLabel = (index: number) => captions.tracks[index]?.label ?? "Off";
  const captionChoices = [-1, ...captions.tracks.keys()];
  const { setSpeed } = commands;
  return [
    [choicePage("Speed", Gauge, SPEEDS, speed, speedLabel, setSpeed)],
    hasQualities
      ? choicePage("Quality", SlidersHorizontal, qualities, chosen, qualityLabel, source.choose)
      : [],
    audioTracks.length > 1
      ? choicePage(
          "Audio track",
          Languages,
          audioTracks.keys(),
          audioTrack,
          audioTrackLabel,
          source.chooseAudioTrack,
        )
      : [],
    captions.tracks.length > 0
      ? choicePage(
          "Captions",
          CaptionsIcon,
          captionChoices,
          captions.chosen,
          captionLabel,
          captions.choose,
        )
      : [],
  ].flat();
}

/** The first page of the settings. */
function MainPage({
  pages,
  open,
  onClose,
  onShortcuts,
}: {
  pages: ChoicePage[];
  open(title: string): void;
  onClose(): void;
  onShortcuts(): void;
}) {
  const { element, video, playback, commands, feedback } = usePlayer();
  const loop = useStored(playback, "loop");
  const window = usePictureInPicture(element);
  const mini = miniPlayer.use();
  const isStable = stableVolume.use();

  async function copy() {
    onClose();
    const copied = await copyText(linkAt(location, element.currentTime));
    feedback.note("link", copied ? "Link copied" : "Couldn’t copy the link");
  }

  async function shareVideo() {
    onClose();
    const done = await share(video.title, linkAt(location, 0));
    if (done === "copied") feedback.note("link", "Link copied");
    if (done === "failed") feedback.note("link", "Couldn’t share the link");
  }

  return (
    <>
      {pages.map(({ title, icon, now }) => (
        <Item key={title} icon={icon} label={title} now={now} onPress={() => open(title)} />
      ))}
      {video.loudness && canChangeLoudness() ? (
        <Item
          icon={Ear}
          label="Stable volume"
          checked={isStable}
          onPress={() => stableVolume.write(!isStable)}
        />
      ) : null}
      <Item icon={Repeat} label="Loop" onPress={commands.toggleLoop} checked={loop} />
      {window.supported ? (
        <Item
          icon={PictureInPictureIcon}
          label="Picture-in-picture"
          onPress={() => {
            window.toggle();
            onClose();
          }}
        />
      ) : null}
      <Item
        icon={ArrowDownRight}
        label="Mini player"
        checked={mini}
        onPress={() => miniPlayer.write(!mini)}
      />
      <Item
        icon={Link}
        label={`Copy link at ${formatTime(element.currentTime)}`}
        onPress={() => void copy()}
      />
      <Item icon={Share2} label="Share" onPress={() => void shareVideo()} />
      <Item
        icon={Keyboard}
        label="Keyboard shortcuts"
        onPress={onShortcuts}
        className="player-item-keys"
      />
    </>
  );
}

function Item({
  icon: Icon,
  label,
  now,
  checked,
  className,
  onPress,
}: {
  icon: IconType;
  label: string;
  /** The current choice; only set for an item that opens a page. */
  now?: string;
  checked?: boolean;
  className?: string;
  onPress(): void;
}) {
  return (
    <button
      type="button"
      {...(checked === undefined
        ? { role: "menuitem" }
        : { role: "menuitemcheckbox", "aria-checked": checked })}
      aria-haspopup={now === undefined ? undefined : "menu"}
      data-page={now && label}
      className={classNames("player-item", className)}
      onClick={onPress}
    >
      <Icon aria-hidden="true" />
      <span>{label}</span>
      {now === undefined ? null : (
        <span className="player-item-more">
          {now}
          <ChevronRight aria-hidden="true" />
        </span>
      )}
      {checked === undefined ? null : <span className="player-switch" aria-hidden="true" />}
    </button>
  );
}
