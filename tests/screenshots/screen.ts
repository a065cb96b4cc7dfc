import type { Page } from "playwright";

/** A newcomer has not answered the age dialog; a visitor has; an admin is signed in as well. */
export type Audience = "newcomer" | "visitor" | "admin";

export interface Screen {
  name: string;
  address: string;
  audience: Audience;
  /** What anybody does before the picture, with scripts or without. */
  steps?: (page: Page) => Promise<void>;
  /** What takes scripts; without them there is no such picture. */
  scriptedSteps?: (page: Page) => Promise<void>;
  /** What the browser remembers of earlier visits, by the field of its storage. Takes scripts too. */
  remembers?: Record<string, unknown>;
  /** The catalogue can't be read while the page is asked for. */
  whileBroken?: boolean;
  /** With scripts something lies over the page: the picture ends where the screen does. */
  overlay?: boolean;
  /** SQL that undoes what the steps have changed, for the next variant. */
  undo?: string;
  /** Its picture in the guide to the studio: `docs/pictures/{guide}.webp`. */
  guide?: string;
  /** The address that `steps` lead to, when it is another one. */
  leadsTo?: string;
}

export type ScreenOptions = Omit<Screen, "name" | "address" | "audience">;

/** The videos that screens show. */
export interface ShownVideos {
  /** With chapters, captions, tags and a long description. */
  long: string;
  /** A plain one, in the middle of the list. */
  plain: string;
  withoutFile: string;
  scheduled: string;
  /** A draft, with notes and a preview link. */
  draft: string;
  /** Published ones, the newest first. */
  all: readonly string[];
  reports: ShownReports;
}

/** The status pages of reports, as their reporters have the links. */
export interface ShownReports {
  /** A moderator asks the reporter something. */
  asked: string;
  decided: string;
}

export function takesScripts({ scriptedSteps, remembers }: Screen): boolean {
  return Boolean(scriptedSteps || remembers);
}
