import { needsFaststart } from "~/media/encode/transcode.server";
import { probe } from "~/media/probe/probe.server";

/** What is known of a file: what it holds, and whether its index has to be moved to the front. */
export async function probeFile(file: string) {
  const found = await probe(file);
  return found && { ...found, needsFaststart: await needsFaststart(file, found) };
}
