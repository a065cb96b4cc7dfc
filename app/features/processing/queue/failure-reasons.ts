/** Translates ffmpeg's output into messages and advice for admins. */

export const DISK_FULL = "The disk is full.";

const KNOWN_ERRORS: [RegExp, string][] = [
  [/No space left on device/i, DISK_FULL],
  [/moov atom not found/i, "The file is incomplete and can’t be played."],
  [/Invalid data found when processing input/i, "The file is damaged."],
  [/Cannot allocate memory|max_alloc/i, "Processing the file needs more memory than is allowed."],
  [/File size limit exceeded|Error writing trailer/i, "The output exceeded the size limit."],
  [/No such file or directory/i, "The file no longer exists."],
  [/Permission denied/i, "The site doesn’t have permission to read the file."],
  [/Unknown encoder|Encoder not found/i, "This build of ffmpeg lacks a required encoder."],
  [
    /Decoder .*not found|decoder not found/i,
    "This build of ffmpeg can’t decode this type of video.",
  ],
];

/** Separates the message from ffmpeg's output in the reasons that are stored in the database. */
const FFMPEG_OUTPUT_PREFIX = "ffmpeg said: ";

const UPLOAD_AGAIN =
  "Upload the file again from a device that can play it, or export it as MP4 (H.264 and AAC) and upload the exported file.";
const SEE_LOG = "Retry. If it fails again, check the site’s log.";

/**
 * The advice for each reason. The first pattern that matches the reason's text is used. The patterns also match reasons
 * that earlier versions stored in the database.
 */
const ADVICE: [RegExp, string][] = [
  [/disk is full|(?:nearly|almost) full/i, "Free up disk space, then retry."],
  [
    /not there any more|no longer exists|no file in this library/i,
    "Upload the file again, or delete the video.",
  ],
  [/belongs to another video/i, "Upload the video again so that it gets its own file name."],
  [
    /may not be read|permission to read/i,
    "Give the site’s system user read access to the uploads folder, then retry.",
  ],
  [
    /ffmpeg is(?: not|n.t) installed|lacks an? .*encoder|can.t (?:read this kind|decode this type)|could(?: not|n.t) be started/i,
    "Install a full build of ffmpeg 5 or newer on the server, then retry.",
  ],
  [/more memory/i, "Export the video at a lower resolution and upload that file."],
  [
    /took longer|time limit|no progress|was (?:ended|killed) by|asked to end|stopped early|was ended \d+ times|stopped unexpectedly/i,
    SEE_LOG,
  ],
  [
    /grew larger|size limit/i,
    "Retry. If it fails again, export the video at a lower quality and upload that file.",
  ],
  [/encrypted/i, "Upload a file without copy protection."],
  [
    /longer than 24 hours|too large or too small|more than \d+ streams/i,
    "Upload a file within these limits.",
  ],
  [
    /damaged|cut off|incomplete|not a video|supported video|no video (?:in it|track)|is empty|VVC|format that can.t be read|unsupported codec|could(?: not|n.t) read|not one (?:picture|segment)|no (?:frame|segments)/i,
    UPLOAD_AGAIN,
  ],
];

/** Splits a stored reason into the explanation of the failure and ffmpeg's output, and adds advice. */
export function parseReason(reason: string): { why: string; advice: string; output?: string } {
  const at = reason.indexOf(FFMPEG_OUTPUT_PREFIX);
  const why = (at < 0 ? reason : reason.slice(0, at)).trim();
  const advice = ADVICE.find(([pattern]) => pattern.test(why))?.[1] ?? SEE_LOG;
  return {
    why,
    advice,
    ...(at >= 0 && { output: reason.slice(at + FFMPEG_OUTPUT_PREFIX.length) }),
  };
}

/** Returns the reason to store: one or two sentences, followed by the end of ffmpeg's output. */
export function describeFailure(message: string, lines: readonly string[]): string {
  const output = lines.join("\n");
  const known = KNOWN_ERRORS.find(([pattern]) => pattern.test(output))?.[1];
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
  return [known ?? message, last && `${FFMPEG_OUTPUT_PREFIX}${last}`]
    .filter(Boolean)
    .join(" ")
    .slice(0, 1_000);
}

/** The message shown in the log and the studio if ffmpeg is missing. */
export const WITHOUT_FFMPEG =
  "ffmpeg isn’t installed. Videos are published unconverted, without thumbnails, previews or streaming.";
