/** ffmpeg's last lines in plain words, for the admin who has to decide what to do. */

const KNOWN: [RegExp, string][] = [
  [/No space left on device/i, "The disk is full."],
  [/moov atom not found/i, "The file is cut off: its index is missing."],
  [/Invalid data found when processing input/i, "The file is damaged."],
  [/Cannot allocate memory|max_alloc/i, "The file asks for more memory than it is given."],
  [/File size limit exceeded|Error writing trailer/i, "The result grew larger than it may."],
  [/No such file or directory/i, "The file is not there any more."],
  [/Permission denied/i, "The file may not be read."],
  [/Unknown encoder|Encoder not found/i, "This ffmpeg lacks an encoder that is needed."],
  [/Decoder .*not found|decoder not found/i, "This ffmpeg can't read this kind of video."],
];

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
  return [known ?? message, last && `ffmpeg said: ${last}`]
    .filter(Boolean)
    .join(" ")
    .slice(0, 1_000);
}

/** Whether ffmpeg ended because there is no room. */
export function isDiskFull(lines: readonly string[]): boolean {
  return lines.some((line) => /No space left on device/i.test(line));
}
