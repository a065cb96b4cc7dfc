import type { Kind } from "./kinds";

const WORDS: Record<Kind["outcome"], string> = {
  "as it is": "Played as it came; an index is put in front",
  prepared: "An MP4 is made of it, then played",
  asked: "Asked about; a draft for scripts and imports",
  refused: "Refused",
};

const HEAD = `# Formats

What goes in, what comes out. This page is written by \`npm run conformance -- --write\`, which makes each of these files
with ffmpeg, sends it by the form, by tus and by an import to a site of its own, and compares what it was answered,
the length that is shown, and, without \`--quick\`, the pictures at known times, the sound's offset and the playlists.
\`--only TEXT\` takes the kinds whose name holds a text.

What browsers do not play is watched as a stream from its first seconds on, while the rest is made; the MP4 is a copy
of it. From everything that is taken H.264 in several qualities and AAC of each of its sounds are made for streaming,
beside the file; AC-3 and E-AC-3 in surround are copied. What a video shows decides how many qualities and bits it gets,
and popular ones may get AV1 or HEVC besides (\`ENCODER_CODECS\`).
`;

/** The page of docs with the table of all kinds. */
export function formatsPage(kinds: readonly Kind[]): string {
  const groups = [...new Set(kinds.map(({ group }) => group))];
  return [HEAD, ...groups.map((group) => tableOf(group, kinds))].join("\n");
}

function tableOf(group: string, kinds: readonly Kind[]): string {
  const rows = kinds.filter((kind) => kind.group === group);
  return [
    `## ${group}\n`,
    "| What goes in | What comes out |",
    "| --- | --- |",
    ...rows.map(({ name, outcome }) => `| ${name} | ${WORDS[outcome]} |`),
    "",
  ].join("\n");
}
