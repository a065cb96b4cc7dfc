import { type Cue, decodeText, readCues, writeWebvtt } from "./cues";

/** Where a caption file comes from: an admin has added it, or ffmpeg has taken it out of a video. */
export type CaptionsOrigin = "added" | "extracted";

/** The WebVTT of a caption file; undefined when there is no cue in it. */
export function convertCaptions(bytes: Uint8Array, origin: CaptionsOrigin): string | undefined {
  const cues = readCues(decodeText(bytes) ?? "");
  const shown = origin === "extracted" ? withoutDecoration(cues) : cues;
  return shown.length > 0 ? writeWebvtt(shown) : undefined;
}

/** Shapes that a subtitle draws, as in `m 0 0 l 100 0 100 100`: no text. */
const DRAWING = /^m(?:\s+-?[\d.]+){2}(?:\s+(?:[mnlbspc]|-?[\d.]+))*$/;

function withoutDecoration(cues: readonly Cue[]): Cue[] {
  const seen = new Set<string>();
  return cues.flatMap((cue) => {
    const lines = cue.text.split("\n").filter((line) => !DRAWING.test(line));
    // A decorated line is written several times over, one for each of its layers.
    const key = `${cue.start} ${cue.end} ${lines.join("\n")}`;
    if (lines.length === 0 || seen.has(key)) return [];
    seen.add(key);
    return [{ ...cue, text: lines.join("\n") }];
  });
}
