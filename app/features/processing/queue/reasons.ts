/** ffmpeg's last lines in plain words, for the admin who has to decide what to do. */

export const DISK_FULL = "The disk is full.";

const KNOWN: [RegExp, string][] = [
  [/No space left on device/i, DISK_FULL],
  [/moov atom not found/i, "The file is cut off: its index is missing."],
  [/Invalid data found when processing input/i, "The file is damaged."],
  [/Cannot allocate memory|max_alloc/i, "The file asks for more memory than it is given."],
  [/File size limit exceeded|Error writing trailer/i, "The result grew larger than it may."],
  [/No such file or directory/i, "The file is not there any more."],
  [/Permission denied/i, "The file may not be read."],
  [/Unknown encoder|Encoder not found/i, "This ffmpeg lacks an encoder that is needed."],
  [/Decoder .*not found|decoder not found/i, "This ffmpeg can't read this kind of video."],
];

const SAID = "ffmpeg said: ";

const UPLOAD_AGAIN =
  "Upload the file anew from where it plays, or save it as MP4 (H.264 and AAC) first.";
const SEE_LOG = "Try again; if it fails again, the log of the site says more.";

/** What to do about a reason, by its words; the first that fits. */
const ADVICE: [RegExp, string][] = [
  [/disk is full|nearly full/i, "Make room on the disk, and try again."],
  [/not there any more|no file in this library/i, "Upload the file again, or delete the video."],
  [/belongs to another video/i, "Upload the video again, so that it gets a name of its own."],
  [/may not be read/i, "Let the user of the site read the folder of uploads, and try again."],
  [
    /ffmpeg is not installed|lacks an encoder|can't read this kind|could not be started/i,
    "Install a full build of ffmpeg 5 or newer on the server, and try again.",
  ],
  [/more memory/i, "Save the file with a smaller picture, and upload that."],
  [
    /took longer|time limit|no progress|was (?:ended|killed) by|asked to end|stopped early|was ended \d+ times/i,
    SEE_LOG,
  ],
  [
    /grew larger/i,
    "Try again; if it fails again, save the file at a lower quality, and upload that.",
  ],
  [/encrypted/i, "Upload a file without copy protection."],
  [
    /longer than 24 hours|too large or too small|more than \d+ streams/i,
    "Upload a file within these bounds.",
  ],
  [
    /damaged|cut off|incomplete|not a video|supported video|no video (in it|track)|is empty|VVC|format that can't be read|unsupported codec|could not read|not one (picture|segment)|no segments/i,
    UPLOAD_AGAIN,
  ],
];

/** Why a job failed, what to do about it, and what ffmpeg said, from the reason that is stored. */
export function readReason(reason: string): { why: string; advice: string; said?: string } {
  const at = reason.indexOf(SAID);
  const why = (at < 0 ? reason : reason.slice(0, at)).trim();
  const advice = ADVICE.find(([pattern]) => pattern.test(why))?.[1] ?? SEE_LOG;
  return { why, advice, ...(at >= 0 && { said: reason.slice(at + SAID.length) }) };
}

/** One or two sentences, and what ffmpeg said itself behind them. */
export function explain(message: string, lines: readonly string[]): string {
  const said = lines.join("\n");
  const known = KNOWN.find(([pattern]) => pattern.test(said))?.[1];
  const last = lines
    .slice(-3)
    .map((line) =>
      line
        .replace(/^\[[^\]]*\] */, "")
        .replaceAll(/file:\S*\//g, "")
        .trim(),
    )
    .filter(Boolean)
    .join(" · ");
  return [known ?? message, last && `${SAID}${last}`].filter(Boolean).join(" ").slice(0, 1_000);
}

/** What the log and the admin panel say when the programs are missing. */
export const WITHOUT_FFMPEG =
  "ffmpeg is not installed: videos are published as they are, without conversion, posters, storyboards, previews and streaming.";
