import { Check, ChevronLeft } from "lucide-react";
import type { Quality } from "../source/adaptive";

export interface Choice<T> {
  value: T;
  label: string;
}

/** One of several, and the way back. The choice closes the menu. */
export function ChoicePage<T extends string | number>({
  title,
  choices,
  chosen,
  onChoose,
  onBack,
  onClose,
}: {
  title: string;
  choices: Choice<T>[];
  chosen: T;
  onChoose(value: T): void;
  onBack(): void;
  onClose(): void;
}) {
  return (
    <>
      <button type="button" role="menuitem" className="player-item player-back" onClick={onBack}>
        <ChevronLeft aria-hidden="true" />
        {title}
      </button>
      {choices.map(({ value, label }) => (
        <button
          key={value}
          type="button"
          role="menuitemradio"
          aria-checked={value === chosen}
          className="player-item"
          onClick={() => {
            onChoose(value);
            onClose();
          }}
        >
          <Check aria-hidden="true" className={value === chosen ? undefined : "invisible"} />
          {label}
        </button>
      ))}
    </>
  );
}

export function speedLabel(speed: number): string {
  return speed === 1 ? "Normal" : `${speed}×`;
}

/** `height` is the rendition on screen, 0 while unknown: "Auto (720p)". */
export function qualityLabel(quality: Quality | "file", height: number): string {
  if (quality === "file") return "Original";
  if (quality === "auto") return height > 0 ? `Auto (${height}p)` : "Auto";
  return `${quality}p`;
}
