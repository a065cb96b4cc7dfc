import { useEffect, useRef, useState } from "react";
import { SPEEDS } from "../constants";
import { usePlayer } from "../player-context";
import { useStore, useStored } from "../store";
import { type Choice, ChoicePage, qualityLabel, speedLabel } from "./choice-page";
import { useEscape } from "./focus";
import { MainPage, type SettingsPage } from "./main-page";

/** Speed, quality, sound, captions and what else is asked for seldom. Arrow keys move, Escape closes. */
export function SettingsMenu({ onClose, onShortcuts }: { onClose(): void; onShortcuts(): void }) {
  const { root } = usePlayer();
  const [page, setPage] = useState<SettingsPage>("main");
  const lastPage = useRef<SettingsPage>("main");
  const menu = useRef<HTMLDivElement>(null);
  useEscape(() => (page === "main" ? onClose() : setPage("main")));

  // Each page begins at its own choice, the first one at the page that one comes back from.
  useEffect(() => {
    const start = page === "main" ? `[data-page="${lastPage.current}"]` : '[aria-checked="true"]';
    lastPage.current = page;
    const item = menu.current?.querySelector<HTMLElement>(start) ?? itemsOf(menu.current)[0];
    item?.focus();
  }, [page]);

  useEffect(() => {
    const onPress = (event: PointerEvent) => {
      const target = event.target instanceof Element ? event.target : null;
      // A press on the picture and on the button that opened it close it by themselves.
      if (!target || root.contains(target)) return;
      onClose();
    };
    document.addEventListener("pointerdown", onPress);
    return () => document.removeEventListener("pointerdown", onPress);
  }, [root, onClose]);

  return (
    <div
      ref={menu}
      className="player-settings"
      role="menu"
      tabIndex={-1}
      aria-label="Settings"
      onKeyDown={(event) => {
        // The focus is back on the button then, and goes on from there.
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
      {page === "main" ? (
        <MainPage open={setPage} onClose={onClose} onShortcuts={onShortcuts} />
      ) : (
        <Choices page={page} onBack={() => setPage("main")} onClose={onClose} />
      )}
    </div>
  );
}

/** WAI-ARIA, menu pattern: up and down go around, Home and End to the first and the last. */
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

function Choices({
  page,
  onBack,
  onClose,
}: {
  page: Exclude<SettingsPage, "main">;
  onBack(): void;
  onClose(): void;
}) {
  const { playback, commands, source, captions, video } = usePlayer();
  const speed = useStored(playback, "speed");
  const { heights, chosen, height, sounds, sound } = useStore(source.state);

  if (page === "speed") {
    const choices = SPEEDS.map((value) => ({ value, label: speedLabel(value) }));
    return (
      <ChoicePage
        title="Speed"
        choices={choices}
        chosen={speed}
        onChoose={commands.setSpeed}
        onBack={onBack}
        onClose={onClose}
      />
    );
  }
  if (page === "captions") {
    const off: Choice<number> = { value: -1, label: "Off" };
    const choices = captions.tracks.map((track, value) => ({ value, label: track.label }));
    return (
      <ChoicePage
        title="Captions"
        choices={[off, ...choices]}
        chosen={captions.chosen}
        onChoose={captions.choose}
        onBack={onBack}
        onClose={onClose}
      />
    );
  }
  if (page === "sound") {
    return (
      <ChoicePage
        title="Sound"
        choices={sounds.map(({ label }, value) => ({ value, label }))}
        chosen={sound}
        onChoose={source.chooseSound}
        onBack={onBack}
        onClose={onClose}
      />
    );
  }
  // There is no file while it is being converted.
  const file = video.fileUrl === video.hlsUrl ? [] : ["file" as const];
  const choices = ["auto" as const, ...heights, ...file].map((value) => ({
    value,
    label: qualityLabel(value, chosen === "auto" ? height : 0),
  }));
  return (
    <ChoicePage
      title="Quality"
      choices={choices}
      chosen={chosen}
      onChoose={source.choose}
      onBack={onBack}
      onClose={onClose}
    />
  );
}
