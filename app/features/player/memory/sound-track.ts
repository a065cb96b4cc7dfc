import { readStored, writeStored } from "~/features/visitor/browser-storage";

/** One of the sounds of a film. */
export interface SoundTrack {
  /** Such as `English (Commentary)`. */
  label: string;
  /** BCP 47; empty where nobody knows. */
  language: string;
}

/** The sound as it was chosen last in this browser: the same, or another in that language; -1 for none. */
export function rememberedSound(tracks: readonly SoundTrack[]): number {
  const stored = readStored("audioTrack") as Partial<SoundTrack> | undefined;
  const same = tracks.findIndex(({ label }) => label === stored?.label);
  if (same >= 0 || !stored?.language) return same;
  return tracks.findIndex(({ language }) => language === stored.language);
}

/** Keeps the choice in this browser. */
export function rememberSound({ label, language }: SoundTrack): void {
  writeStored("audioTrack", { label, language });
}
