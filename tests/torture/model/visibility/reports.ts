import fc from "fast-check";
import { DECISIONS, type ModeratorDecision } from "~/features/moderation/reports/decisions";
import { REPORT_KINDS, type ReportKind } from "~db/schema/moderation";
import type { Outcome, Role } from "../reference";
import { captures, type Fields } from "../running-site";
import { expectSame, nth } from "../step";
import { number } from "../values";
import { type Kind, moderator, pick, submitForm } from "./common";
import {
  addVideo,
  answer,
  choicesFor,
  choicesOf,
  decide,
  receive,
  removeVideo,
  withdraw,
} from "./moderation";
import type { Report, VisibilityModel } from "./reference";
import type { VisibilitySite } from "./site";
import { readBatches, waitUntilNothingIsDue } from "./video-actions";

/** Steps in which visitors send reports and follow up on them, and moderators make decisions. */

const NETWORKS = 3;
/** The maximum number of decisions needed to close a report. */
const MAX_DECISIONS = 4;

const kind = fc.constantFrom<ReportKind>(
  ...(["under-age", "consent", "under-age", "consent"] as const),
  ...REPORT_KINDS,
);

/**
 * Sends a report about some videos, which may be deleted or hidden, or a report in which the site can't recognize any
 * video.
 */
const report: Kind<{ kind: ReportKind; which: number[]; network: number }> = {
  weight: 7,
  args: fc.record({
    kind,
    which: fc.array(number, { maxLength: 4 }),
    network: fc.integer({ min: 1, max: NETWORKS }),
  }),
  async run({ kind, which, network }, model, site) {
    const videos = [...new Set(which.flatMap((each) => pick(model, each) ?? []))];
    const where = videos.map(({ id }) => `${site.origin}/video/${id}`).join("\n") || "somewhere";
    const isKnown = videos.some(({ isPublic }) => isPublic);
    const token = await site.report(kind, where, network, isKnown);
    receive(model, {
      ...{ id: token.split(".")[0]!, token, kind, network, state: "open", spared: new Set() },
      ...{ isWithdrawn: false, isErased: false, absent: new Set(), unread: [] },
      named: new Map(videos.map(({ id }) => [id, { decision: null, isCurrent: true }])),
    });
  },
};

/** Returns a report, preferably a recent one. */
function pickReport(model: VisibilityModel, which: number): Report | undefined {
  const last = which % 2 === 0 ? model.reports.slice(-4) : model.reports;
  const found = nth(last, Math.floor(which / 2));
  for (const id of found?.named.keys() ?? []) model.touched.add(model.find(id));
  return found;
}

/** The reporter sends a message or withdraws the report. */
const followUp: Kind<{ which: number; intent: "answer" | "withdraw"; message: number }> = {
  weight: 4,
  args: fc.record({
    which: number,
    intent: fc.constantFrom("answer", "withdraw"),
    message: number,
  }),
  async run({ which, intent, message }, model, site) {
    const report = pickReport(model, which);
    if (!report) return "skipped";
    const text = `Message ${message}`;
    const outcome = intent === "answer" ? answer(report, text) : withdraw(model, report);
    const fields = { intent, message: text };
    await submitForm(site, undefined, `/report/${report.token}`, fields, outcome);
  },
};

const decision = fc.constantFrom<ModeratorDecision>(
  ...DECISIONS,
  ...(["keep", "remove", "restore"] as const),
);
/** The fields of the decision form. */
const decisionForm = fc.record({
  decision,
  chosen: fc.array(fc.nat(3), { maxLength: 4 }),
  isAll: fc.boolean(),
  isStrike: fc.constantFrom(false, false, false, true),
});
type DecisionForm = {
  decision: ModeratorDecision;
  chosen: number[];
  isAll: boolean;
  isStrike: boolean;
};

/** A moderator makes a decision. Sometimes, another moderator who has the same page open also makes one. */
const decideReport: Kind<{
  by: Role;
  which: number;
  first: DecisionForm;
  second?: DecisionForm | undefined;
}> = {
  weight: 10,
  args: fc.record({
    by: moderator,
    which: number,
    first: decisionForm,
    second: fc.option(decisionForm, { nil: undefined, freq: 2 }),
  }),
  async run({ by, which, first, second }, model, site) {
    const report = pickReport(model, which);
    if (!report) return "skipped";
    const other = by === "owner" ? "editor" : "owner";
    const version = await versionOf(report, site);
    const isDone = await sendDecision(
      model,
      site,
      { report, by: model.active(by), version },
      first,
    );
    if (!second) return;
    const late = { report, by: model.active(other), version };
    await sendDecision(model, site, late, second, isDone ? 409 : undefined);
  },
};

/** Returns the version of a report's page. The state of the report on that page must match the model. */
async function versionOf(report: Report, site: VisibilitySite): Promise<string> {
  const { body } = await site.read(`/admin/reports/${report.id}.data`, "owner");
  const version = /"(\d+-(?:open|asked|closed))"/.exec(body)?.[1];
  if (!version) throw new Error(`The page of report ${report.id} has no version: ${body}`);
  expectSame(`the state of ${report.id}`, version.split("-")[1], report.state);
  return version;
}

/** Sends a decision, and returns whether it was accepted. */
async function sendDecision(
  model: VisibilityModel,
  site: VisibilitySite,
  { report, by, version }: { report: Report; by: Role; version: string },
  { decision, chosen, isAll, isStrike }: DecisionForm,
  refusal?: Outcome,
): Promise<boolean> {
  const ids = [...report.named.keys()];
  // Half of the time, selects only videos for which the page offers the decision.
  const offered = ids.filter((id) => choicesFor(model, report, id).includes(decision));
  const picked = isAll ? offered : ids.filter((_, index) => chosen.includes(index));
  const fields = {
    ...{ version, decision, video: picked, reason: "A reason." },
    ...(isStrike && { strike: "1" }),
  };
  const outcome = refusal ?? decide(model, report, { decision, chosen: picked, isStrike });
  await submitForm(site, by, `/admin/reports/${report.id}`, fields, outcome);
  readBatches(model, site);
  // A restored video's scheduled hide time may have passed while it was in the trash.
  await waitUntilNothingIsDue(site);
  return outcome === "done";
}

/** A moderator adds a video to a report or removes one. */
const editVideos: Kind<{ by: Role; which: number; video: number; removes: boolean }> = {
  weight: 5,
  args: fc.record({ by: moderator, which: number, video: number, removes: fc.boolean() }),
  async run({ by, which, video: number, removes }, model, site) {
    const report = pickReport(model, which);
    const named = [...(report?.named.keys() ?? [])];
    const id = removes ? nth(named, number) : undefined;
    const video = id ? model.find(id) : pick(model, number);
    if (!report || !video) return "skipped";
    const fields: Fields = removes
      ? { intent: "take-out-video", video: video.id }
      : { intent: "add-video", address: `${site.origin}/video/${video.id}` };
    const outcome = (removes ? removeVideo : addVideo)(model, report, video);
    await submitForm(site, model.active(by), `/admin/reports/${report.id}`, fields, outcome);
  },
};

/** A moderator erases the text of a report before its retention period ends. */
const eraseReport: Kind<{ by: Role; which: number }> = {
  weight: 4,
  args: fc.record({ by: moderator, which: number }),
  async run({ by, which }, model, site) {
    const report = pickReport(model, which);
    if (!report) return "skipped";
    const isPossible = report.state === "closed" && !report.isErased;
    const page = `/admin/reports/${report.id}`;
    await submitForm(site, model.active(by), page, { intent: "erase" }, isPossible ? "done" : 409);
    if (isPossible) report.isErased = true;
  },
};

/** Closes every report by choosing one of the decisions offered on its page. */
const closeReports: Kind<Role> = {
  weight: 3,
  args: moderator,
  async run(by, model, site) {
    if (model.reports.every(({ state }) => state === "closed")) return "skipped";
    await closeAll(model, site, by);
  },
};

/** Closes all reports. Throws an error if one of them can't be closed. */
export async function closeAll(
  model: VisibilityModel,
  site: VisibilitySite,
  by: Role = "owner",
): Promise<void> {
  for (const report of model.reports) {
    for (let attempts = 0; attempts < MAX_DECISIONS && report.state !== "closed"; attempts++) {
      await decideNext(model, site, report, by);
    }
    expectSame(`the state of ${report.id} after its last decision`, report.state, "closed");
  }
  for (const video of model.videos) {
    const left = model.reports.filter(
      ({ id, absent }) => video.holds.has(`report/${id}`) && !absent.has(video.id),
    );
    expectSame(`closed reports that hold ${video.id}`, left, []);
  }
}

async function decideNext(
  model: VisibilityModel,
  site: VisibilitySite,
  report: Report,
  by: Role,
): Promise<void> {
  const page = await site.read(`/admin/reports/${report.id}`, "owner");
  const offered = captures(page.main, /name="decision"[^>]*value="([^"]*)"/g);
  expectSame(
    `the decisions that ${report.id} offers`,
    offered.sort(),
    choicesOf(model, report).sort(),
  );
  const ids = [...report.named.keys()];
  const decide = (decision: ModeratorDecision, chosen: string[]) =>
    decideFor(model, site, { report, by: model.active(by) }, decision, chosen);
  if (offered.includes("not-here")) return decide("not-here", []);
  for (const decision of ["keep", "remove", "counter-notice"] as const) {
    const chosen = ids.filter((id) => {
      model.touched.add(model.find(id));
      const choices = choicesFor(model, report, id);
      // Videos that already have a decision are skipped, unless all videos have one.
      const isFirst = choices.find((each) => each !== "hide" && each !== "restore") === decision;
      return isFirst && (report.named.get(id)?.decision === null || isDecided(model, report));
    });
    if (chosen.length > 0) return decide(decision, chosen);
  }
}

/**
 * Returns whether every existing video in a report already has a decision. An open report can be in this state if a
 * question was sent after the decisions.
 */
const isDecided = (model: VisibilityModel, report: Report) =>
  [...report.named].every(
    ([id, { decision }]) => decision !== null || choicesFor(model, report, id).length === 0,
  );

async function decideFor(
  model: VisibilityModel,
  site: VisibilitySite,
  { report, by }: { report: Report; by: Role },
  decision: ModeratorDecision,
  chosen: string[],
): Promise<void> {
  const version = await versionOf(report, site);
  const fields = { version, decision, video: chosen, reason: "A reason." };
  const outcome = decide(model, report, { decision, chosen, isStrike: false });
  expectSame(`${decision} of ${chosen} in ${report.id}`, outcome, "done");
  await submitForm(site, by, `/admin/reports/${report.id}`, fields, outcome);
  readBatches(model, site);
}

export const REPORTS = { report, followUp, decideReport, editVideos, eraseReport, closeReports };
