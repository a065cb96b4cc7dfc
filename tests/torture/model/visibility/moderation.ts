import { DECISIONS, type ModeratorDecision } from "~/features/moderation/reports/decisions";
import type { ReportKind } from "~db/schema/moderation";
import type { Outcome, Role } from "../reference";
import { type ModelVideo, type Report, URGENT, type VisibilityModel } from "./reference";

/** What reports and decisions about them do to the causes that hold videos, as the rules read. */

const STRIKES_THAT_BLOCK = 3;
const MAX_UNREAD = 3;

/** The kinds of reports for which somebody has looked at the video of a video and left it on the site. */
function checkedKinds(model: VisibilityModel, { id }: ModelVideo): ReportKind[] {
  return model.reports.flatMap(({ kind, named }) => {
    const naming = named.get(id);
    const isKept = naming?.decision === "keep" || naming?.decision === "restore";
    return isKept && naming.isOfVideo ? [kind] : [];
  });
}

/** The open urgent reports that wait for a decision about a video, of kinds that nobody has looked at it for. */
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

/** A report arrives. An urgent one hides its videos before anybody has looked at them. */
export function receive(model: VisibilityModel, report: Report): void {
  model.reports.push(report);
  if (!URGENT.includes(report.kind)) return;
  for (const id of report.named.keys()) {
    const video = model.find(id);
    if (!video.isThere) report.spared.add(id);
    if (!video.isThere || checkedKinds(model, video).includes(report.kind)) continue;
    const others = unchecked(model, video).filter(({ network }) => network !== report.network);
    const isHeld = video.holdsFor("report").length > 0;
    if (!isHeld && others.length === 0 && !model.settings.hidesAtOnce) {
      report.spared.add(id);
      continue;
    }
    for (const each of isHeld ? [report] : [...others, report]) hold(video, each);
  }
}

const hold = (video: ModelVideo, { id }: Report) => video.holds.add(`report/${id}`);

/** The reporter takes a report back; while it hides a video, it stays to be decided. */
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
  // Closed with the decisions that were made before, if there are any.
  const isDecided = [...report.named.values()].some(({ decision }) => decision !== null);
  report.isWithdrawn = hides || !isDecided;
  if (hides) report.state = "open";
  return "done";
}

/** The reporter writes something, which answers a question. A text that is sent twice is one. */
export function answer(report: Report, text: string): Outcome {
  if (report.isErased) return 404;
  if (report.state === "closed") return 409;
  if (report.unread.at(-1) === text) return "done";
  if (report.unread.length >= MAX_UNREAD) return 409;
  report.unread.push(text);
  report.state = "open";
  return "done";
}

function isAnyWaiting(model: VisibilityModel, report: Report): boolean {
  return [...report.named].some(([id, { decision }]) => {
    const video = model.find(id);
    return decision === null && (video.isThere || video.holds.has(`removed/${report.id}`));
  });
}

/** What can be decided about one video of a report. */
export function choicesFor(
  model: VisibilityModel,
  report: Report,
  id: string,
): ModeratorDecision[] {
  const video = model.find(id);
  if (video.holds.has(`removed/${report.id}`)) {
    const isUpheld = report.state !== "closed" && !isAnyWaiting(model, report);
    return report.named.get(id)?.decision !== "remove" || isUpheld
      ? ["remove", "restore"]
      : ["counter-notice", "restore"];
  }
  if (!video.isThere) return [];
  return video.isRemoved ? ["keep", "remove"] : ["hide", "keep", "remove"];
}

/** What the page of a report offers. */
export function choicesOf(model: VisibilityModel, report: Report): ModeratorDecision[] {
  const all = new Set([...report.named.keys()].flatMap((id) => choicesFor(model, report, id)));
  if (all.size === 0) all.add("not-here");
  if (!report.isErased) all.add("ask");
  return DECISIONS.filter((each) => all.has(each));
}

/** A moderator decides about some of the videos that a report names. */
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
    settle(model, report);
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
  else Object.assign(naming, { decision, isOfVideo: true });
  if (decision === "hide") hold(video, report);
  else if (decision === "remove") {
    video.holds.add(`removed/${report.id}`);
    video.holds.delete(`report/${report.id}`);
  } else if (decision === "restore" || decision === "keep") lift(model, report, video);
  if (decision === "restore") video.holds.delete(`removed/${report.id}`);
}

/** Ends the hold of a report. An urgent one that nobody has checked gets its own, if it relied on this one. */
function lift(model: VisibilityModel, report: Report, video: ModelVideo): void {
  if (!video.holds.has(`report/${report.id}`)) return;
  for (const each of unchecked(model, video)) if (each !== report) hold(video, each);
  video.holds.delete(`report/${report.id}`);
}

/** A report is closed once each of its videos that is here has a decision. */
function settle(model: VisibilityModel, report: Report): void {
  const all = [...report.named];
  const isWaiting = all.some(
    ([id, { decision }]) => decision === null && choicesFor(model, report, id).length > 0,
  );
  if (all.some(([, { decision }]) => decision !== null) && !isWaiting) close(model, report);
  else if (report.state === "closed") report.state = "open";
}

function close(model: VisibilityModel, report: Report): void {
  const absent = [...report.named.keys()].filter((id) => !model.find(id).isThere);
  Object.assign(report, { state: "closed", isWithdrawn: false, absent: new Set(absent) });
}

function strike(model: VisibilityModel, role: Role): void {
  const strikes = 1 + (model.strikes.get(role) ?? 0);
  model.strikes.set(role, strikes);
  if (strikes >= STRIKES_THAT_BLOCK) model.blocked.add(role);
}

/** A video gets another video, which nobody has looked at. */
export function replaceVideo(model: VisibilityModel, video: ModelVideo): void {
  model.changeVideo([video]);
  for (const report of unchecked(model, video)) {
    if (model.settings.hidesAtOnce) hold(video, report);
    else report.spared.add(video.id);
  }
}

/** A moderator adds a video that a report means. An urgent report hides it. */
export function addVideo(model: VisibilityModel, report: Report, video: ModelVideo): Outcome {
  if (!video.isThere) return 422;
  if (report.named.has(video.id)) return "done";
  report.named.set(video.id, { decision: null, isOfVideo: true });
  const isUrgent = URGENT.includes(report.kind);
  if (isUrgent && !checkedKinds(model, video).includes(report.kind)) hold(video, report);
  if (report.state === "closed") report.state = "open";
  return "done";
}

/**
 * A moderator takes out a video that a report names by mistake. What was decided in it no longer counts for
 * urgent reports that came later.
 */
export function takeOutVideo(model: VisibilityModel, report: Report, video: ModelVideo): Outcome {
  const naming = report.named.get(video.id);
  if (!naming) return 404;
  if (video.holds.has(`removed/${report.id}`)) return 409;
  report.named.delete(video.id);
  lift(model, report, video);
  const isRelied = naming.decision !== null && URGENT.includes(report.kind);
  if (isRelied) for (const each of unchecked(model, video)) hold(video, each);
  if (report.state !== "closed") settle(model, report);
  return "done";
}
