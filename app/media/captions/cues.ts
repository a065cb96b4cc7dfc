/**
 * Parses captions in the two common text formats, SubRip (.srt) and WebVTT (https://www.w3.org/TR/webvtt1/), and writes
 * them as WebVTT that contains nothing but cues: no styles, regions or notes.
 */

export interface Cue {
  /** Seconds. */
  start: number;
  end: number;
  /** The WebVTT cue settings, which position the cue. */
  settings: string;
  /** The cue's text, with WebVTT markup. */
  text: string;
}

/**
 * The maximum length of a line. Lines have 40 to 80 characters when displayed, or a few hundred including markup for
 * fonts and positions.
 */
export const MAX_LINE_LENGTH = 2_000;
/** The maximum number of cues: one every four seconds for a day. */
export const MAX_CUES = 20_000;

/** Thrown if a caption file exceeds a limit; `message` is shown to the uploader. */
export class CaptionsLimitError extends Error {}

const TIME = String.raw`(?:(\d{1,4}):)?([0-5]?\d):([0-5]?\d)[.,](\d{1,3})`;
const TIMING = new RegExp(String.raw`^\s*${TIME}\s*-->\s*${TIME}(?:\s+(.*))?$`);
const SETTING = /^(?:align|line|position|size|vertical):[\w.,%-]+$/;
/** Matches SubRip markup and the characters that have to be escaped in WebVTT. */
const SUBRIP_SIGNS =
  /<(\/?)\s*([biu])\s*>|<\/?\s*font\b[^<>]*>|\{\\[^{}]*\}|&(?:amp|lt|gt|nbsp|lrm|rlm);|[<>&]/gi;
/** Matches a WebVTT start tag with classes, such as `<c.yellow.bg_blue>`, but not a timestamp such as `<00:01.500>`. */
const CLASSES = /<([^\t\f .<>/\d][^\t\f .<>]*)((?:\.[^\t\f .>]*)+)/g;
/**
 * The classes that WebVTT defines (§5.1). Any other class might clash with the CSS classes of the page that shows the
 * cue.
 */
const KNOWN_CLASS = /^(?:bg_)?(?:white|lime|cyan|red|yellow|magenta|blue|black)$/;
const WRITTEN: Record<string, string> = { "<": "&lt;", ">": "&gt;", "&": "&amp;" };

/**
 * Returns the cues in a caption file's text, sorted by start time; an empty list if the text is in neither format. The
 * running time is linear in the length of the text, whatever the text contains.
 *
 * @throws {CaptionsLimitError} if a line is too long or there are too many cues.
 */
export function readCues(text: string): Cue[] {
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\r|\n/);
  if (lines.some((line) => line.length > MAX_LINE_LENGTH)) {
    throw new CaptionsLimitError("A line in this caption file has more than 2,000 characters.");
  }
  const isWebvtt = /^WEBVTT(?:[ \t]|$)/.test(lines[0] ?? "");
  const cues: Cue[] = [];
  for (let index = 0; index < lines.length; index++) {
    const timing = TIMING.exec(lines[index]!);
    if (!timing) continue;
    const body: string[] = [];
    while (index + 1 < lines.length && !endsCue(lines[index + 1]!)) body.push(lines[++index]!);
    const converted = body.map(isWebvtt ? withKnownClasses : fromSubrip);
    const cue = {
      start: seconds(timing, 1),
      end: seconds(timing, 5),
      settings: isWebvtt ? keptSettings(timing[9]) : "",
      text: converted
        .map((line) => line.trim())
        .filter(Boolean)
        .join("\n"),
    };
    if (cue.end <= cue.start || !cue.text) continue;
    if (cues.push(cue) > MAX_CUES) {
      throw new CaptionsLimitError("This caption file has more than 20,000 cues.");
    }
  }
  return cues.sort((a, b) => a.start - b.start);
}

function endsCue(line: string): boolean {
  return line.trim() === "" || line.includes("-->");
}

function seconds(timing: RegExpExecArray, from: number): number {
  const [hours = "0", minutes, whole, part = "0"] = timing.slice(from, from + 4);
  return Number(hours) * 3_600 + Number(minutes) * 60 + Number(whole) + Number(`0.${part}`);
}

function keptSettings(settings = ""): string {
  return settings
    .split(/\s+/)
    .filter((setting) => SETTING.test(setting))
    .join(" ");
}

function withKnownClasses(line: string): string {
  return line.replace(CLASSES, (_, tag: string, classes: string) =>
    [`<${tag}`, ...classes.split(".").filter((name) => KNOWN_CLASS.test(name))].join("."),
  );
}

/** Converts a line from SubRip: keeps basic tags, removes font and override tags, and escapes everything else. */
function fromSubrip(line: string): string {
  return line.replace(SUBRIP_SIGNS, (found: string, slash = "", tag?: string) => {
    if (tag) return `<${slash}${tag.toLowerCase()}>`;
    if (found.length === 1) return WRITTEN[found]!;
    // Don't escape existing entities again.
    return found.startsWith("&") ? found : "";
  });
}

export function writeWebvtt(cues: readonly Cue[]): string {
  const blocks = cues.map(
    ({ start, end, settings, text }) =>
      `${timestamp(start)} --> ${timestamp(end)}${settings && ` ${settings}`}\n${text}\n`,
  );
  return ["WEBVTT\n", ...blocks].join("\n");
}

/** Formats seconds as hh:mm:ss.mmm. */
export function timestamp(seconds: number): string {
  const milliseconds = Math.round(seconds * 1_000);
  const part = (value: number, digits = 2) => String(Math.floor(value)).padStart(digits, "0");
  const minutes = milliseconds / 60_000;
  return `${part(minutes / 60)}:${part(minutes % 60)}:${part((milliseconds / 1_000) % 60)}.${part(milliseconds % 1_000, 3)}`;
}

/** Decodes UTF-8, or UTF-16 with a byte order mark. Undefined for anything else. */
export function decodeText(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes;
  const mark =
    first === 0xff && second === 0xfe ? "le" : first === 0xfe && second === 0xff ? "be" : "";
  try {
    const text = new TextDecoder(mark ? `utf-16${mark}` : "utf-8", { fatal: true }).decode(bytes);
    // Text never contains NUL, but a binary file that happens to be decodable may.
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

/** The origin of a caption file: added by an admin, or extracted from a video by ffmpeg. */
export type CaptionsOrigin = "added" | "extracted";

/** Converts a caption file to WebVTT; undefined if it has no cues. */
export function convertCaptions(bytes: Uint8Array, origin: CaptionsOrigin): string | undefined {
  const cues = readCues(decodeText(bytes) ?? "");
  const shown = origin === "extracted" ? withoutDecoration(cues) : cues;
  return shown.length > 0 ? writeWebvtt(shown) : undefined;
}

/** Matches ASS drawing commands, such as `m 0 0 l 100 0 100 100`, which aren't text. */
const DRAWING = /^m(?:\s+-?[\d.]+){2}(?:\s+(?:[mnlbspc]|-?[\d.]+))*$/;

function withoutDecoration(cues: readonly Cue[]): Cue[] {
  const seen = new Set<string>();
  return cues.flatMap((cue) => {
    const lines = cue.text.split("\n").filter((line) => !DRAWING.test(line));
    // A decorated line is repeated for each of its layers. Keep only one copy.
    const key = `${cue.start} ${cue.end} ${lines.join("\n")}`;
    if (lines.length === 0 || seen.has(key)) return [];
    seen.add(key);
    return [{ ...cue, text: lines.join("\n") }];
  });
}
