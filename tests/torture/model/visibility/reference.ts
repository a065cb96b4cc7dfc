import type { ReportKind, ReportState, VideoDecision } from "~db/schema/moderation";
import type { Outcome, Role } from "../reference";

/**
 * Who may see a video, as the rules read: what people intend, and one entry for each cause of a hold. What is
 * public follows from both, and is stored nowhere.
 */

export const URGENT: readonly ReportKind[] = ["consent", "under-age"];

/** How the site of a run is set up. */
export interface SiteSettings {
  requireConsent: boolean;
  /** Whether an urgent report hides its videos immediately; otherwise REPORT_HIDE_LIMIT is always reached. */
  hidesAtOnce: boolean;
}

/** A day that is over. */
const PAST = 0;

/** Days after the start, from 1 on; null for never. */
export interface Times {
  publishAt: number | null;
  unpublishAt: number | null;
}

/** What people intend with a video, and its file. */
export interface Row extends Times {
  status: string;
  owner: Role;
  /** The path of its file in the uploads folder. */
  file: string;
}

export const PERFORMERS = ["Ada", "Bea", "Cleo"] as const;
export type Performer = (typeof PERFORMERS)[number];

/** A consent record. */
export interface ConsentRecord {
  people: number;
  hasEnded: boolean;
  named: Set<Performer>;
}

export interface PreviewLink {
  token: string;
  maker: Role;
}

/** What was decided about a video that a report names. */
interface Naming {
  /** Null while it waits for a decision. */
  decision: VideoDecision | null;
  /** Whether the decision was about the video that the video has today. */
  isOfVideo: boolean;
}

export interface Report {
  /** Also the beginning of the token of its status page. */
  id: string;
  token: string;
  kind: ReportKind;
  state: ReportState;
  isWithdrawn: boolean;
  isErased: boolean;
  network: number;
  /** What its reporter has written since a moderator wrote something. */
  unread: string[];
  /** The videos that it names, by their ids. */
  named: Map<string, Naming>;
  /** Those that it had no reason to hide when it came: they were not there, or a limit was reached. */
  spared: Set<string>;
  /** Those that were in no list and no trash when it was closed: nobody could decide about them. */
  absent: Set<string>;
}

/** All that is known of an id, whatever became of its rows. */
export class ModelVideo {
  row?: Row | undefined;
  trash?: (Row & { batch: string }) | undefined;
  /** `reason/source` of each cause. */
  holds = new Set<string>();
  /** The blocked videos that it resembles, while nobody has said that it is another. */
  sources = new Set<string>();
  record?: ConsentRecord | undefined;
  links: PreviewLink[] = [];
  /** The paths of the files that were replaced. */
  replaced: string[] = [];

  constructor(readonly id: string) {}

  get isThere(): boolean {
    return this.row !== undefined || this.trash !== undefined;
  }

  get isPublic(): boolean {
    return this.row?.status === "published" && this.holds.size === 0;
  }

  holdsFor(reason: string): string[] {
    return [...this.holds].filter((cause) => cause.startsWith(`${reason}/`));
  }

  get isRemoved(): boolean {
    return this.holdsFor("removed").length > 0;
  }
}

export class VisibilityModel {
  videos: ModelVideo[] = [];
  reports: Report[] = [];
  /** Accounts that can't sign in. */
  blocked = new Set<Role>();
  strikes = new Map<Role, number>();
  /** Who can be named in a record, and whether they were adults on the day of recording. */
  performers = new Map<Performer, { isAdult: boolean; isChecked: boolean }>();

  /** The videos that were changed since they were last looked at. */
  touched = new Set<ModelVideo>();
  /** How often something was looked at. */
  checked = 0;
  /** How many ids another program has given. */
  entered = 0;

  constructor(readonly settings: SiteSettings) {}

  find(id: string): ModelVideo {
    let video = this.videos.find((each) => each.id === id);
    if (!video) {
      video = new ModelVideo(id);
      this.videos.push(video);
    }
    return video;
  }

  get publicIds(): string[] {
    return this.videos.flatMap(({ id, isPublic }) => (isPublic ? [id] : []));
  }

  /** Somebody who can sign in. */
  active(role: Role): Role {
    return this.blocked.has(role) ? "owner" : role;
  }

  // --- What people intend ---

  /** A row arrives: from another program, an upload or the trash. */
  insert(video: ModelVideo, row: Row): void {
    video.row = row;
    if (row.status === "published") this.requireRecord(video);
  }

  setStatus(video: ModelVideo, status: string): void {
    const { row } = video;
    if (!row) return;
    const becomesPublished = status === "published" && row.status !== "published";
    row.status = status;
    if (becomesPublished) this.requireRecord(video);
  }

  private requireRecord(video: ModelVideo): void {
    if (this.settings.requireConsent && this.lacksRecord(video))
      video.holds.add("consent/required");
  }

  /** Whether a person is refused to publish it. */
  isRefused(video: ModelVideo): boolean {
    return video.holds.size > 0 || (this.settings.requireConsent && this.lacksRecord(video));
  }

  /** What an order to publish or hide makes of a row. */
  order(video: ModelVideo, order: "publish" | "hide"): void {
    const { row } = video;
    if (!row) return;
    row.publishAt = null;
    if (order === "hide") row.unpublishAt = null;
    this.setStatus(video, order === "publish" ? "published" : "hidden");
  }

  /** The button, and the API, which says what it wants. */
  publishOrHide(role: Role, video: ModelVideo, order: "publish" | "hide"): Outcome {
    const reached = this.reach(role, [video], true);
    if (typeof reached === "number") return reached;
    if (!video.row) return 404;
    const isRefused = order === "publish" && video.row.status !== "published";
    if (isRefused && this.isRefused(video)) return 422;
    this.order(video, order);
    return "done";
  }

  schedule(role: Role, video: ModelVideo, times: Times): Outcome {
    const reached = this.reach(role, [video], true);
    if (typeof reached === "number") return reached;
    const { row } = video;
    if (!row) return 404;
    const publishAt = row.status === "published" ? null : times.publishAt;
    if (!isInOrder({ ...times, publishAt })) return 422;
    Object.assign(row, { publishAt, unpublishAt: times.unpublishAt });
    return "done";
  }

  /** Publishes and hides what is due until a day, and forgets these times. */
  timePasses(day: number): void {
    const isDue = (at: number | null) => at !== null && at <= day;
    for (const video of this.videos) {
      const { row, trash } = video;
      if (trash && isDue(trash.publishAt)) trash.publishAt = PAST;
      if (trash && isDue(trash.unpublishAt)) trash.unpublishAt = PAST;
      if (!row) continue;
      const ends = isDue(row.unpublishAt);
      const appears = isDue(row.publishAt) && !ends;
      if (isDue(row.publishAt)) row.publishAt = null;
      if (ends) row.unpublishAt = null;
      if (appears) this.setStatus(video, "published");
      else if (ends && row.status === "published") this.setStatus(video, "hidden");
    }
  }

  /** Those of some videos that a role may change; uploaders their own, until they may publish drafts alone. */
  reach(role: Role, videos: readonly ModelVideo[], publishes: boolean): ModelVideo[] | 403 | 404 {
    if (role === "uploader" && publishes) return 403;
    const there = videos.filter(({ row }) => row);
    if (role === "owner" || role === "editor") return there;
    const own = there.filter(({ row }) => row?.owner === role);
    if (own.length === 0) return 404;
    return role === "uploader" && !own.every(({ row }) => isDraft(row!)) ? 403 : own;
  }

  // --- The trash ---

  delete(role: Role, videos: readonly ModelVideo[], batch: string): Outcome {
    const leaving = this.reach(role, videos, false);
    if (typeof leaving === "number") return leaving;
    const isUploader = role === "publisher" || role === "uploader";
    if (isUploader && leaving.some((video) => this.isEvidence(video, true))) return 409;
    if (leaving.length === 0) return 404;
    for (const video of leaving) this.trash(video, batch);
    return "done";
  }

  trash(video: ModelVideo, batch: string): void {
    if (!video.row) return;
    video.trash = { ...video.row, batch };
    video.row = undefined;
  }

  /** What a person finds in the trash. */
  trashOf(role: Role): ModelVideo[] {
    const all = this.videos.filter(({ trash }) => trash);
    if (role === "owner" || role === "editor") return all;
    return all.filter(
      ({ trash }) => trash!.owner === role && (role === "publisher" || isDraft(trash!)),
    );
  }

  /** @param videos those that the person finds there, of the ones asked for. */
  restore(videos: readonly ModelVideo[]): Outcome {
    if (videos.length === 0) return 404;
    const back = videos.filter((video) => !video.isRemoved && !video.row);
    for (const video of back) {
      const { batch: _, ...row } = video.trash!;
      video.trash = undefined;
      // What was due while it was in the trash isn't published by coming back.
      if (row.publishAt === PAST) row.publishAt = null;
      this.insert(video, row);
    }
    this.timePasses(PAST);
    return back.length > 0 ? "done" : 409;
  }

  purge(role: Role, videos: readonly ModelVideo[]): Outcome {
    const found = videos.filter((video) => this.trashOf(role).includes(video));
    const leaving = found.filter((video) => !this.isEvidence(video, role !== "owner"));
    this.changeVideo(leaving);
    for (const video of leaving) {
      video.trash = undefined;
      if (video.row) continue;
      video.record = undefined;
      video.sources.clear();
      video.links = [];
      video.replaced = [];
    }
    if (leaving.length > 0) return "done";
    return found.length > 0 ? 409 : 404;
  }

  isEvidence(video: ModelVideo, isRemovedKept: boolean): boolean {
    const isReported = this.reports.some(
      ({ state, named }) => state !== "closed" && named.get(video.id)?.decision === null,
    );
    return isReported || (isRemovedKept && video.isRemoved);
  }

  /** Videos have other videos now, or none: what moderators have looked at were the earlier ones. */
  changeVideo(videos: readonly ModelVideo[]): void {
    for (const { named } of this.reports) {
      for (const { id } of videos) {
        const naming = named.get(id);
        if (naming) naming.isOfVideo = false;
      }
    }
  }

  // --- Consent records ---

  lacksRecord({ record }: ModelVideo): boolean {
    if (!record) return true;
    const { people, named, hasEnded } = record;
    const isProved = [...named].every((name) => {
      const { isAdult, isChecked } = this.performers.get(name)!;
      return isAdult && isChecked;
    });
    return hasEnded || named.size !== people || !isProved;
  }

  /** Brings the holds of a video in line with its record. */
  settle(video: ModelVideo): void {
    const { record, holds } = video;
    const isMinor = (name: Performer) => !this.performers.get(name)!.isAdult;
    const causes = {
      "consent/minor": record !== undefined && [...record.named].some(isMinor),
      "consent/ended": record?.hasEnded ?? false,
    };
    for (const [cause, isSo] of Object.entries(causes)) {
      if (isSo) holds.add(cause);
      else holds.delete(cause);
    }
    if (!this.lacksRecord(video)) {
      for (const cause of video.holdsFor("consent")) {
        if (cause !== "consent/deleted-minor") holds.delete(cause);
      }
    } else if (video.row?.status === "published" && this.settings.requireConsent) {
      holds.add("consent/required");
    }
  }

  naming(performer: Performer): ModelVideo[] {
    return this.videos.filter(({ record }) => record?.named.has(performer));
  }

  /** Deletes the record of a performer. Nothing else says any more that a video shows a minor. */
  forget(performer: Performer): void {
    const shown = this.naming(performer);
    const { isAdult } = this.performers.get(performer)!;
    for (const video of shown) {
      if (!isAdult) video.holds.add("consent/deleted-minor");
      video.record?.named.delete(performer);
    }
    this.performers.delete(performer);
    for (const video of shown) this.settle(video);
  }
}

const isDraft = ({ status, publishAt }: Row) => status === "review" && publishAt === null;

/** A video can be hidden only after it has been published. */
export const isInOrder = ({ publishAt, unpublishAt }: Times) =>
  publishAt === null || unpublishAt === null || publishAt < unpublishAt;
