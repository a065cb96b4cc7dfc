import { planFor } from "~/media/metadata/mp4-metadata";

/** The bytes of a video as the site keeps them: its metadata are written over. */
export function withoutMetadata(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  const plan = planFor({
    size: copy.length,
    read: (at, length) => copy.subarray(at, at + length),
  });
  if (!plan) throw new Error("It can't be written over.");
  for (const edit of plan.edits) edit.bytes.copy(copy, edit.at);
  return copy;
}
