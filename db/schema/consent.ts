import type { Generated, Selectable } from "kysely";

/** ISO 8601 UTC. */
type Time = string;
/** YYYY-MM-DD in UTC. */
type Day = string;

export const IDENTITY_DOCUMENTS = [
  "passport",
  "identity-card",
  "driving-licence",
  "other",
] as const;
export const DOCUMENT_KINDS = ["identity", "release", "other"] as const;
export const RELEASE_KINDS = ["own", "release", "licensed"] as const;

/** Somebody who is shown in videos. */
export interface PerformersTable {
  id: string;
  /** One a line, the first is what lists show. */
  stage_names: string;
  /** The first of them as lists are ordered by. */
  sort_name: string;
  /** Legal name and date of birth, encrypted. */
  box: string;
  document_kind: (typeof IDENTITY_DOCUMENTS)[number] | null;
  /** The day on which somebody compared the document with the person; null while nobody has. */
  checked_on: Day | null;
  checked_by: string | null;
  created_at: Time;
  updated_at: Time;
}

/** Each stage name, and what follows each of its spaces, as searches compare them. */
export interface PerformerNamesTable {
  name: string;
  performer_id: string;
}

/** An encrypted file in UPLOADS_DIR/documents, named by its id. */
export interface PerformerDocumentsTable {
  id: string;
  performer_id: string;
  kind: (typeof DOCUMENT_KINDS)[number];
  type: "application/pdf" | "image/jpeg" | "image/png";
  /** Before it was encrypted. */
  bytes: number;
  /** The key of the file, encrypted itself. */
  file_key: string;
  added_at: Time;
  added_by: string | null;
  /** 1 once the file is in the store. */
  stored: Generated<0 | 1>;
}

/** What is recorded about a video. */
export interface VideoConsentsTable {
  video_id: string;
  kind: (typeof RELEASE_KINDS)[number];
  /** How many are shown. */
  people: number;
  recorded_on: Day;
  /** From this day on it is not valid; null without an end. */
  ends_on: Day | null;
  updated_at: Time;
  updated_by: string | null;
  /** The alert that it ends soon; null until then, and again once `ends_on` changes or the alert is resolved. */
  ending_alert_id: string | null;
}

export interface VideoPerformersTable {
  video_id: string;
  performer_id: string;
  /** 1 when they were 18 on the day of recording. */
  of_age: 0 | 1;
}

/** Has its row while a record is required of what is published; triggers go by it. */
export interface ConsentRequirementTable {
  id: 1;
}

export type PerformerRow = Selectable<PerformersTable>;
export type PerformerDocumentRow = Selectable<PerformerDocumentsTable>;
export type VideoConsentRow = Selectable<VideoConsentsTable>;
