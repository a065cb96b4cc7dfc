import {
  ArrowDownRight,
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
import type { ReactNode } from "react";
import { classNames } from "~/ui/class-names";
import { copyText, share } from "~/ui/share";
import { usePictureInPicture } from "../controls/use-picture-in-picture";
import { CaptionsIcon, type IconType, PictureInPictureIcon } from "../icons";
import { formatTime, linkAt } from "../media-time";
import { miniPlayer } from "../mini/continued";
import { usePlayer } from "../player-context";
import { evenLoudness } from "../sound/even-loudness";
import { canChangeLoudness } from "../sound/use-even-loudness";
import { useStore, useStored } from "../store";
import { qualityLabel, speedLabel } from "./choice-page";

export type SettingsPage = "main" | "speed" | "quality" | "sound" | "captions";

/** The first page of the settings. */
export function MainPage({
  open,
  onClose,
  onShortcuts,
}: {
  open(page: SettingsPage): void;
  onClose(): void;
  onShortcuts(): void;
}) {
  const { element, video, playback, commands, source, captions, feedback } = usePlayer();
  const speed = useStored(playback, "speed");
  const loop = useStored(playback, "loop");
  const { chosen, heights, height, sounds, sound } = useStore(source.state);
  const window = usePictureInPicture(element);
  const mini = miniPlayer.use();
  const isEven = evenLoudness.use();
  const now = element.currentTime;

  async function copy() {
    onClose();
    const copied = await copyText(linkAt(location, element.currentTime));
    feedback.note("link", copied ? "Link copied" : "The link could not be copied");
  }

  async function shareVideo() {
    onClose();
    const done = await share(video.title, linkAt(location, 0));
    if (done === "copied") feedback.note("link", "Link copied");
    if (done === "failed") feedback.note("link", "The link could not be shared");
  }

  return (
    <>
      <Item
        icon={Gauge}
        label="Speed"
        page="speed"
        onPress={() => open("speed")}
        more={speedLabel(speed)}
      />
      {video.hlsUrl && (heights.length > 0 || chosen === "file") ? (
        <Item
          icon={SlidersHorizontal}
          label="Quality"
          page="quality"
          onPress={() => open("quality")}
          more={qualityLabel(chosen, height)}
        />
      ) : null}
      {sounds.length > 1 ? (
        <Item
          icon={Languages}
          label="Sound"
          page="sound"
          onPress={() => open("sound")}
          more={sounds[sound]?.label}
        />
      ) : null}
      {captions.tracks.length > 0 ? (
        <Item
          icon={CaptionsIcon}
          label="Captions"
          page="captions"
          onPress={() => open("captions")}
          more={captions.tracks[captions.chosen]?.label ?? "Off"}
        />
      ) : null}
      {video.sound && canChangeLoudness() ? (
        <Item
          icon={Ear}
          label="Even loudness"
          checked={isEven}
          onPress={() => evenLoudness.write(!isEven)}
        />
      ) : null}
      <Item icon={Repeat} label="Loop" onPress={commands.toggleLoop} checked={loop} />
      {window.supported ? (
        <Item
          icon={PictureInPictureIcon}
          label="Picture in picture"
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
      <Item icon={Link} label={`Copy link at ${formatTime(now)}`} onPress={() => void copy()} />
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
  more,
  checked,
  className,
  page,
  onPress,
}: {
  icon: IconType;
  label: string;
  /** The present choice of a page of its own. */
  more?: ReactNode;
  page?: SettingsPage;
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
      aria-haspopup={more === undefined ? undefined : "menu"}
      data-page={page}
      className={classNames("player-item", className)}
      onClick={onPress}
    >
      <Icon aria-hidden="true" />
      <span>{label}</span>
      {more === undefined ? null : (
        <span className="player-item-more">
          {more}
          <ChevronRight aria-hidden="true" />
        </span>
      )}
      {checked === undefined ? null : <span className="player-switch" aria-hidden="true" />}
    </button>
  );
}
