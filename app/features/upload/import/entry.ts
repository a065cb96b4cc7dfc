import type { VideoStatus } from "~db/schema";

/** A video to be imported into the catalogue, with what is known of it. */
export interface ImportEntry {
  /** What the operator calls it: the path below the folder, or a row of an export. */
  name: string;
  /** The absolute path of the video; undefined for a row that never had a file. */
  file: string | undefined;
  /** The absolute path of a picture for it. */
  thumbnail?: string;
  /** Kept from an earlier system, so that old links go on working. */
  id?: string;
  /** Where the file stood in an earlier system: `{userId}/{uploadId}`, kept when it is free. */
  basePath?: string;
  title: string;
  description: string;
  /** A stored value, legacy ones included. */
  category: string;
  tags: string[];
  /** The titles of the series it is put into, with its position in each. */
  series?: Record<string, number>;
  status: VideoStatus;
  /** What is believed; the file's own length wins. */
  durationSeconds?: number;
  views?: number;
  /** ISO 8601 UTC. */
  createdAt?: string;
  updatedAt?: string;
}

/** Something that cannot be imported as it is; the sentence says what to correct. */
export class ImportError extends Error {}

/** A video of which nothing says its category; told of all at once, not one by one. */
export class NoCategoryError extends ImportError {
  constructor() {
    super("it has no category.");
  }
}

/** Something that is not imported, and why. */
export interface ImportFailure {
  name: string;
  reason: string;
}

/** What is to be imported, and what is known beforehand that it cannot be. */
export interface ImportPlan {
  entries: ImportEntry[];
  failures: ImportFailure[];
  /** The names of videos that are left out because nothing says their category. */
  withoutCategory?: string[];
}

/** Notes why something cannot be imported; a fault of ours is thrown on. */
export function noteFailure(plan: ImportPlan, name: string, error: unknown): void {
  if (error instanceof NoCategoryError) {
    plan.withoutCategory ??= [];
    plan.withoutCategory.push(name);
  } else if (error instanceof ImportError) plan.failures.push({ name, reason: error.message });
  else throw error;
}
