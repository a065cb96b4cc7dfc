import type { Page } from "playwright";

/** A newcomer hasn't confirmed their age, a visitor has, and an admin is also signed in. */
export type Audience = "newcomer" | "visitor" | "admin";

export interface Screen {
  name: string;
  address: string;
  audience: Audience;
  /** Steps before the screenshot that work with and without scripts. */
  steps?: (page: Page) => Promise<void>;
  /** Steps that require scripts. Variants without scripts skip this screen. */
  scriptedSteps?: (page: Page) => Promise<void>;
  /** The data that the browser has stored on earlier visits, by field. This also requires scripts. */
  remembers?: Record<string, unknown>;
  /** Whether reading from the catalogue fails while the page is loading. */
  whileBroken?: boolean;
  /**
   * Whether something, such as a dialog, covers the page if scripts run. In that case, the screenshot shows only the
   * viewport.
   */
  overlay?: boolean;
  /** SQL that reverts the changes made by the steps, for the next variant. */
  undo?: string;
  /** The name of the screen's image in the docs: `docs/pictures/{guide}.webp`. */
  guide?: string;
  /** The URL after `steps`, if it differs from `address`. */
  leadsTo?: string;
}

export type ScreenOptions = Omit<Screen, "name" | "address" | "audience">;

/** The IDs of the videos that the screens show. */
export interface SampleVideos {
  /** A video with chapters, captions, tags and a long description. */
  long: string;
  /** A video with default values that is in the middle of the list. */
  plain: string;
  withoutFile: string;
  scheduled: string;
  /** A draft with notes and a preview link. */
  draft: string;
  /** The published videos, newest first. */
  all: readonly string[];
  reports: SampleReports;
}

/** The paths of the reports' status pages. Only the reporters get links to these pages. */
export interface SampleReports {
  /** A report for which a moderator has asked the reporter a question. */
  asked: string;
  decided: string;
}

export function requiresScripts({ scriptedSteps, remembers }: Screen): boolean {
  return Boolean(scriptedSteps || remembers);
}
