import { useEffect, useRef, useState } from "react";
import { SPEEDS } from "./constants";
import { qualityLabel, speedLabel } from "./labels";
import { usePlayer } from "./player-context";
import { type Choice, ChoicePage } from "./settings-choice";
import { MainPage } from "./settings-main";
import { useStore, useStored } from "./store";
import { useEscape } from "./use-escape";

export type SettingsPage = "main" | "speed" | "quality" | "captions";

/** Speed, quality, captions and what else is asked for seldom. Arrow keys move, Escape closes. */
export function SettingsMenu({ onClose, onShortcuts }: { onClose(): void; onShortcuts(): void }) {
  const { root } = usePlayer();
  const [page, setPage] = useState<SettingsPage>("main");
  const menu = useRef<HTMLDivElement>(null);
  useEscape(() => (page === "main" ? onClose() : setPage("main")));

  // Each page begins at its own choice.
  useEffect(() => {
    const chosen = menu.current?.querySelector<HTMLElement>('[aria-checked="true"][role$="radio"]');
    (chosen ?? itemsOf(menu.current)[0])?.focus({ preventScroll: true });
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
        const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
        if (event.key === "ArrowLeft" && page !== "main") setPage("main");
        else if (step === 0) return;
        event.preventDefault();
        const items = itemsOf(menu.current);
        const at = items.indexOf(document.activeElement as HTMLElement);
        items.at((at + step) % items.length)?.focus();
      }}
    >
      {page === "main" ? (
        <MainPage open={setPage} onClose={onClose} onShortcuts={onShortcuts} />
      ) : (
        <Choices page={page} onBack={() => setPage("main")} />
      )}
    </div>
  );
}

function itemsOf(menu: HTMLElement | null): HTMLElement[] {
  return Array.from(menu?.querySelectorAll<HTMLElement>('[role^="menuitem"]') ?? []);
}

function Choices({ page, onBack }: { page: Exclude<SettingsPage, "main">; onBack(): void }) {
  const { playback, commands, source, captions } = usePlayer();
  const speed = useStored(playback, "speed");
  const { heights, chosen, height } = useStore(source.state);

  if (page === "speed") {
    const choices = SPEEDS.map((value) => ({ value, label: speedLabel(value) }));
    return (
      <ChoicePage
        title="Speed"
        choices={choices}
        chosen={speed}
        onChoose={commands.setSpeed}
        onBack={onBack}
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
      />
    );
  }
  const adaptive = ["auto" as const, ...heights].map((value) => ({
    value,
    label: qualityLabel(value, chosen === "auto" ? height : 0),
  }));
  return (
    <ChoicePage
      title="Quality"
      choices={[...adaptive, { value: "file" as const, label: qualityLabel("file", 0) }]}
      chosen={chosen}
      onChoose={source.choose}
      onBack={onBack}
    />
  );
}
