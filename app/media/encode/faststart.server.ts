import type { Probe } from "../probe/probe.server";
import { openInput } from "../storage/ranged-input.server";
import { boxHeaders } from "./box-headers.server";

/** Boxes at the top level of a file that are read: cameras write three to six. */
const MOST_HEADERS = 64;

/**
 * Whether a file plays sooner, or can be sought at all, after it was copied: an MP4 whose index
 * (`moov`) stands behind the pictures or that has fragments, a WebM that does not say how long it is, a
 * file that ends before its film does and would be waited for.
 * At most 64 headers of 16 bytes are read, whatever the file is; a file with more counts as one that
 * has to be copied.
 */
export async function needsFaststart(
  file: string,
  { container, ...probe }: Probe,
): Promise<boolean> {
  if (probe.announcedSeconds !== undefined) return true;
  if (container !== "mp4" && container !== "mov") return !probe.saysDuration;
  const input = await openInput(file);
  try {
    const types: string[] = [];
    for await (const { type } of boxHeaders(input, 0, input.size)) {
      types.push(type);
      if (type === "moof" || types.length > MOST_HEADERS) return true;
    }
    const [moov, mdat] = [types.indexOf("moov"), types.indexOf("mdat")];
    return moov < 0 || (mdat >= 0 && mdat < moov);
  } finally {
    await input.close();
  }
}
