import type { Upload } from "@tus/server";
import { settings } from "~/server/settings.server";
import { noteRemoval } from "./remove.server";
import { objectStore } from "./store.server";

/** In the record of an upload whose bytes a browser puts into the store. */
const KIND = "parts";

/** Where the parts of an upload are. */
export interface PartsAt {
  key: string;
  /** The store's own name of the upload. */
  upload: string;
}

/** The record of an upload that is sent in parts from now on. */
export function withParts<R extends Pick<Upload, "storage">>(
  record: R,
  { key, upload }: PartsAt,
): R {
  return { ...record, storage: { type: KIND, path: key, bucket: upload } };
}

/** Undefined of an upload that comes through the site. */
export function partsOf({ storage }: Pick<Upload, "storage">): PartsAt | undefined {
  const { type, path: key, bucket: upload } = storage ?? {};
  return type === KIND && key && upload ? { key, upload } : undefined;
}

/** Removes from the store what an upload has sent there that nobody goes on with. */
export async function discardParts(record: Pick<Upload, "storage">): Promise<void> {
  const at = partsOf(record);
  if (!at || !settings().storage) return;
  await noteRemoval(at.key);
  const { parts } = await objectStore();
  // What can't be ended now is ended later, see removeUnfinished.
  await parts?.end(at.key, at.upload).catch(() => {});
}
