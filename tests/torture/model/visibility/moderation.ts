import { DECISIONS, type ModeratorDecision } from "~/features/moderation/reports/decisions";
import type { ReportKind } from "~db/schema/moderation";
import type { Outcome, Role } from "../reference";
import { type ModelVideo, type Report, URGENT, type VisibilityModel } from "./reference";

/** How reports and decisions affect holds, according to the specification. */

const STRIKES_THAT_BLOCK = 3;
const MAX_UNREAD = 3;

/** Returns the kinds of reports for which a moderator has decided to keep or restore a video's current file. */
function checkedKinds(model: VisibilityModel, { id }: ModelVideo): ReportKind[] {
  return model.reports.flatMap(({ kind, named }) => {
    const naming = named.get(id);
    const isKept = naming?.decision === "keep" || naming?.decision === "restore";
    return isKept && naming.isCurrent ? [kind] : [];
  });
}

/**
 * Returns the open urgent reports that await a decision about a video, if the video hasn't been checked for their kind.
 */
function unchecked(model: VisibilityModel, video: ModelVideo): Report[] {
  const checked = checkedKinds(model, video);
  return model.reports.filter(
    ({ kind, state, named }) =>
      state !== "closed" &&
      URGENT.includes(kind) &&
      named.get(video.id)?.decision === null &&
      !checked.includes(kind),
  );
}

/** Adds a report. An urgent report hides its videos before a moderator has checked them. */
export function receive(model: VisibilityModel, report: Report): void {
  model.reports.push(report);
  if (!URGENT.includes(report.kind)) return;
  for (const id of report.named.keys()) {
    const video = model.find(id);
    if (!video.exists) report.spared.add(id);
    if (!video.exists || checkedKinds(model, video).includes(report.kind)) continue;
    const others = unchecked(model, video).filter(({ network }) => network !== report.network);
    const isOnHold = video.holdsFor("report").length > 0;
    if (!isOnHold && others.length === 0 && !model.settings.hidesImmediately) {
      report.spared.add(id);
      continue;
    }
    for (const each of isOnHold ? [report] : [...others, report]) hold(video, each);
  }
}

const hold = (video: ModelVideo, { id }: Report) => video.holds.add(`report/${id}`);

/** The reporter withdraws a report. It stays open while it hides a video. */
export function withdraw(model: VisibilityModel, report: Report): Outcome {
  if (report.isErased) return 404;
  if (report.state === "closed") return 409;
  if (report.isWithdrawn) return "done";
  const hides = [...report.named.keys()].some((id) =>
    model
      .find(id)
      .holdsFor("report")
      .some((cause) => cause === `report/${report.id}` || URGENT.includes(report.kind)),
  );
  if (!hides) close(model, report);
  // If the report already has decisions, it is closed with those decisions.
  const isDecided = [...report.named.values()].some(({ decision }) => decision !== null);
  report.isWithdrawn = hides || !isDecided;
  if (hides) report.state = "open";
  return "done";
}

/** The reporter sends a message, for example to answer a question. A message that is sent twice counts once. */
export function answer(report: Report, text: string): Outcome {
  if (report.isErased) return 404;
  if (report.state === "closed") return 409;
  if (report.unread.at(-1) === text) return "done";
  if (report.unread.length >= MAX_UNREAD) return 409;
  report.unread.push(text);
  report.state = "open";
  return "done";
}

function isAnyPending(model: VisibilityModel, report: Report): boolean {
  return [...report.named].some(([id, { decision }]) => {
    const video = model.find(id);
    return decision === null && (video.exists || video.holds.has(`removed/${report.id}`));
  });
}

/** Returns the possible decisions about one of a report's videos. */
export function choicesFor(
  model: VisibilityModel,
  report: Report,
  id: string,
): ModeratorDecision[] {
  const video = model.find(id);
  if (video.holds.has(`removed/${report.id}`)) {
    const isUpheld = report.state !== "closed" && !isAnyPending(model, report);
    return report.named.get(id)?.decision !== "remove" || isUpheld
      ? ["remove", "restore"]
      : ["counter-notice", "restore"];
  }
  if (!video.exists) return [];
  return video.isRemoved ? ["keep", "remove"] : ["hide", "keep", "remove"];
}

/** Returns the decisions that a report's page offers. */
export function choicesOf(model: VisibilityModel, report: Report): ModeratorDecision[] {
  const all = new Set([...report.named.keys()].flatMap((id) => choicesFor(model, report, id)));
  if (all.size === 0) all.add("not-here");
  if (!report.isErased) all.add("ask");
  return DECISIONS.filter((each) => all.has(each));
}

/** A moderator makes a decision about some of the videos in a report. */
export function decide(
  model: VisibilityModel,
  report: Report,
  {
    decision,
    chosen,
    isStrike,
  }: { decision: ModeratorDecision; chosen: readonly string[]; isStrike: boolean },
): Outcome {
  const videos = [...report.named.keys()]
    .filter((id) => chosen.includes(id))
    .map((id) => model.find(id));
  if (!isPossible(model, report, decision, videos)) return 422;
  const isOfVideos = decision !== "ask" && decision !== "not-here";
  const struck = isOfVideos ? videos.filter(({ isRemoved }) => !isRemoved) : [];
  const uploaders = new Set(
    struck.flatMap(({ row, trash }) => [row?.owner, trash?.owner]).filter(isUploader),
  );
  if (isStrike && (decision !== "remove" || uploaders.size === 0)) return 422;
  report.unread = [];
  if (decision === "ask") report.state = "asked";
  else if (decision === "not-here") close(model, report);
  else {
    for (const video of videos) change(model, report, video, decision);
    closeIfDecided(model, report);
  }
  if (isStrike) for (const role of uploaders) strike(model, role);
  if (decision === "remove") for (const video of videos) model.trash(video, "");
  if (decision === "restore") model.restore(videos.filter(({ trash }) => trash));
  return "done";
}

const isUploader = (role: Role | undefined): role is Role =>
  role === "publisher" || role === "uploader";

function isPossible(
  model: VisibilityModel,
  report: Report,
  decision: ModeratorDecision,
  videos: readonly ModelVideo[],
): boolean {
  if (decision === "ask") return !report.isErased;
  const isAnyHere = [...report.named.keys()].some((id) => choicesFor(model, report, id).length > 0);
  if (decision === "not-here") return !isAnyHere;
  return (
    videos.length > 0 && videos.every(({ id }) => choicesFor(model, report, id).includes(decision))
  );
}

function change(
  model: VisibilityModel,
  report: Report,
  video: ModelVideo,
  decision: ModeratorDecision,
): void {
  const naming = report.named.get(video.id)!;
  if (decision === "hide" || decision === "counter-notice") naming.decision = null;
  else Object.assign(naming, { decision, isCurrent: true });
  if (decision === "hide") hold(video, report);
  else if (decision === "remove") {
    video.holds.add(`removed/${report.id}`);
    video.holds.delete(`report/${report.id}`);
  } else if (decision === "restore" || decision === "keep") lift(model, report, video);
  if (decision === "restore") video.holds.delete(`removed/${report.id}`);
}

/** Ends a report's hold. Unchecked urgent reports that relied on this hold get separate holds. */
function lift(model: VisibilityModel, report: Report, video: ModelVideo): void {
  if (!video.holds.has(`report/${report.id}`)) return;
  for (const each of unchecked(model, video)) if (each !== report) hold(video, each);
  video.holds.delete(`report/${report.id}`);
}

/** Closes a report once each of its existing videos has a decision. */
function closeIfDecided(model: VisibilityModel, report: Report): void {
  const all = [...report.named];
  const isPending = all.some(
    ([id, { decision }]) => decision === null && choicesFor(model, report, id).length > 0,
  );
  if (all.some(([, { decision }]) => decision !== null) && !isPending) close(model, report);
  else if (report.state === "closed") report.state = "open";
}

function close(model: VisibilityModel, report: Report): void {
  const absent = [...report.named.keys()].filter((id) => !model.find(id).exists);
  Object.assign(report, { state: "closed", isWithdrawn: false, absent: new Set(absent) });
}

function strike(model: VisibilityModel, role: Role): void {
  const strikes = 1 + (model.strikes.get(role) ?? 0);
  model.strikes.set(role, strikes);
  if (strikes >= STRIKES_THAT_BLOCK) model.blocked.add(role);
}

/** A video's file is replaced with one that no moderator has checked. */
export function replaceVideo(model: VisibilityModel, video: ModelVideo): void {
  model.markFilesChanged([video]);
  for (const report of unchecked(model, video)) {
    if (model.settings.hidesImmediately) hold(video, report);
    else report.spared.add(video.id);
  }
}

/** A moderator adds a video to a report. An urgent report hides it. */
export function addVideo(model: VisibilityModel, report: Report, video: ModelVideo): Outcome {
  if (!video.exists) return 422;
  if (report.named.has(video.id)) return "done";
  report.named.set(video.id, { decision: null, isCurrent: true });
  const isUrgent = URGENT.includes(report.kind);
  if (isUrgent && !checkedKinds(model, video).includes(report.kind)) hold(video, report);
  if (report.state === "closed") report.state = "open";
  return "done";
}

/**
 * A moderator removes a video that was included in a report by mistake. The decision about that video no longer counts
 * for later urgent reports.
 */
export function removeVideo(model: VisibilityModel, report: Report, video: ModelVideo): Outcome {
  const naming = report.named.get(video.id);
  if (!naming) return 404;
  if (video.holds.has(`removed/${report.id}`)) return 409;
  report.named.delete(video.id);
  lift(model, report, video);
  const wasReliedOn = naming.decision !== null && URGENT.includes(report.kind);
  if (wasReliedOn) for (const each of unchecked(model, video)) hold(video, each);
  if (report.state !== "closed") closeIfDecided(model, report);
  return "done";
}
