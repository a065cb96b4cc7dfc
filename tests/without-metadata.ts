import { planFor } from "~/media/metadata/mp4-metadata";

/** Returns the bytes of a video as the site stores them, with the metadata overwritten. */
export function withoutMetadata(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  const plan = planFor({
    size: copy.length,
    read: (at, length) => copy.subarray(at, at + length),
  });
  if (!plan) throw new Error("The metadata can't be overwritten.");
  for (const edit of plan.edits) edit.bytes.copy(copy, edit.at);
  return copy;
}
