import type { ReportKind, ReportState, VideoDecision } from "~db/schema/moderation";
import type { Outcome, Role } from "../reference";

/**
 * A model of who may see a video, according to the specification. It stores the intended status and one entry for each
 * hold. Whether a video is public is derived from both.
 */

export const URGENT: readonly ReportKind[] = ["consent", "under-age"];

/** The site's settings during a run. */
export interface SiteSettings {
  requireConsent: boolean;
  /** Whether an urgent report hides its videos immediately. If not, REPORT_HIDE_LIMIT is zero. */
  hidesImmediately: boolean;
}

/** A day in the past. */
const PAST = 0;

/** Scheduled times, as numbers of days after the start of the run (at least 1), or null for never. */
export interface Times {
  publishAt: number | null;
  unpublishAt: number | null;
}

/** A video's intended visibility and its file. */
export interface Row extends Times {
  status: string;
  owner: Role;
  /** The path of the video's file in the bucket. */
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

/** A video in a report, and the decision about the video. */
interface ReportedVideo {
  /** The decision, or null while it is pending. */
  decision: VideoDecision | null;
  /** Whether the decision was about the video's current file. */
  isCurrent: boolean;
}

export interface Report {
  /** The beginning of the token for the report's status page. */
  id: string;
  token: string;
  kind: ReportKind;
  state: ReportState;
  isWithdrawn: boolean;
  isErased: boolean;
  network: number;
  /** The number of messages that the reporter has sent since a moderator's last message. */
  unread: string[];
  /** The videos in the report, by ID. */
  named: Map<string, ReportedVideo>;
  /**
   * Videos that the report had no reason to hide when it was received, because they didn't exist or a limit was
   * reached.
   */
  spared: Set<string>;
  /**
   * Videos that nobody could make a decision about, because they didn't exist when the report was closed, not even in
   * the trash.
   */
  absent: Set<string>;
}

/** All data about a video, even if its row no longer exists. */
export class ModelVideo {
  row?: Row | undefined;
  trash?: (Row & { batch: string }) | undefined;
  /** The `reason/source` of each hold. */
  holds = new Set<string>();
  /** The IDs of the blocked videos that this video is similar to, except for dismissed matches. */
  sources = new Set<string>();
  record?: ConsentRecord | undefined;
  links: PreviewLink[] = [];
  /** The paths of the video's previous files. */
  replaced: string[] = [];

  constructor(readonly id: string) {}

  get exists(): boolean {
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
  /** Performers with a record, and whether they were adults on the day of recording. */
  performers = new Map<Performer, { isAdult: boolean; isChecked: boolean }>();

  /** Videos that may have changed since they were last compared. */
  touched = new Set<ModelVideo>();
  /** The number of comparisons so far. */
  checked = 0;
  /** The number of IDs inserted by another process. */
  insertedIds = 0;

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

  /** Returns the given role if it can sign in, or the owner if the role is blocked. */
  active(role: Role): Role {
    return this.blocked.has(role) ? "owner" : role;
  }

  // --- Intended visibility ---

  /** Adds a row that comes from another process, an upload or the trash. */
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

  /** Returns whether users are prevented from publishing a video. */
  isUnpublishable(video: ModelVideo): boolean {
    return video.holds.size > 0 || (this.settings.requireConsent && this.lacksRecord(video));
  }

  /** Publishes or hides a row. */
  applyAction(video: ModelVideo, action: "publish" | "hide"): void {
    const { row } = video;
    if (!row) return;
    row.publishAt = null;
    if (action === "hide") row.unpublishAt = null;
    this.setStatus(video, action === "publish" ? "published" : "hidden");
  }

  /** Publishes or hides a video as a role, with the visibility button or through the API. */
  publishOrHide(role: Role, video: ModelVideo, action: "publish" | "hide"): Outcome {
    const changeableVideos = this.changeable(role, [video], true);
    if (typeof changeableVideos === "number") return changeableVideos;
    if (!video.row) return 404;
    const publishes = action === "publish" && video.row.status !== "published";
    if (publishes && this.isUnpublishable(video)) return 422;
    this.applyAction(video, action);
    return "done";
  }

  schedule(role: Role, video: ModelVideo, times: Times): Outcome {
    const changeableVideos = this.changeable(role, [video], true);
    if (typeof changeableVideos === "number") return changeableVideos;
    const { row } = video;
    if (!row) return 404;
    const publishAt = row.status === "published" ? null : times.publishAt;
    if (!isInOrder({ ...times, publishAt })) return 422;
    Object.assign(row, { publishAt, unpublishAt: times.unpublishAt });
    return "done";
  }

  /** Publishes and hides the videos that are due by a given day, and clears their scheduled times. */
  advanceTo(day: number): void {
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

  /**
   * Returns the videos that a role may change. Uploaders may change their own videos, or only their own drafts if they
   * can't publish.
   */
  changeable(
    role: Role,
    videos: readonly ModelVideo[],
    publishes: boolean,
  ): ModelVideo[] | 403 | 404 {
    if (role === "uploader" && publishes) return 403;
    const existing = videos.filter(({ row }) => row);
    if (role === "owner" || role === "editor") return existing;
    const own = existing.filter(({ row }) => row?.owner === role);
    if (own.length === 0) return 404;
    return role === "uploader" && !own.every(({ row }) => isDraft(row!)) ? 403 : own;
  }

  // --- The trash ---

  delete(role: Role, videos: readonly ModelVideo[], batch: string): Outcome {
    const deletable = this.changeable(role, videos, false);
    if (typeof deletable === "number") return deletable;
    const isUploader = role === "publisher" || role === "uploader";
    if (isUploader && deletable.some((video) => this.isEvidence(video, true))) return 409;
    if (deletable.length === 0) return 404;
    for (const video of deletable) this.trash(video, batch);
    return "done";
  }

  trash(video: ModelVideo, batch: string): void {
    if (!video.row) return;
    video.trash = { ...video.row, batch };
    video.row = undefined;
  }

  /** Returns the deleted videos that a role sees in the trash. */
  trashOf(role: Role): ModelVideo[] {
    const all = this.videos.filter(({ trash }) => trash);
    if (role === "owner" || role === "editor") return all;
    return all.filter(
      ({ trash }) => trash!.owner === role && (role === "publisher" || isDraft(trash!)),
    );
  }

  /** @param videos the requested videos that the user sees in the trash. */
  restore(videos: readonly ModelVideo[]): Outcome {
    if (videos.length === 0) return 404;
    const restorable = videos.filter((video) => !video.isRemoved && !video.row);
    for (const video of restorable) {
      const { batch: _, ...row } = video.trash!;
      video.trash = undefined;
      // Restoring a video doesn't publish it if its scheduled time passed while it was in the trash.
      if (row.publishAt === PAST) row.publishAt = null;
      this.insert(video, row);
    }
    this.advanceTo(PAST);
    return restorable.length > 0 ? "done" : 409;
  }

  purge(role: Role, videos: readonly ModelVideo[]): Outcome {
    const found = videos.filter((video) => this.trashOf(role).includes(video));
    const deletable = found.filter((video) => !this.isEvidence(video, role !== "owner"));
    this.markFilesChanged(deletable);
    for (const video of deletable) {
      video.trash = undefined;
      if (video.row) continue;
      video.record = undefined;
      video.sources.clear();
      video.links = [];
      video.replaced = [];
    }
    if (deletable.length > 0) return "done";
    return found.length > 0 ? 409 : 404;
  }

  isEvidence(video: ModelVideo, isRemovedKept: boolean): boolean {
    const isReported = this.reports.some(
      ({ state, named }) => state !== "closed" && named.get(video.id)?.decision === null,
    );
    return isReported || (isRemovedKept && video.isRemoved);
  }

  /** Marks decisions as outdated, because the videos' files were replaced or purged. */
  markFilesChanged(videos: readonly ModelVideo[]): void {
    for (const { named } of this.reports) {
      for (const { id } of videos) {
        const naming = named.get(id);
        if (naming) naming.isCurrent = false;
      }
    }
  }

  // --- Consent records ---

  lacksRecord({ record }: ModelVideo): boolean {
    if (!record) return true;
    const { people, named, hasEnded } = record;
    const isDocumented = [...named].every((name) => {
      const { isAdult, isChecked } = this.performers.get(name)!;
      return isAdult && isChecked;
    });
    return hasEnded || named.size !== people || !isDocumented;
  }

  /** Updates a video's consent holds to match its record. */
  updateConsentHolds(video: ModelVideo): void {
    const { record, holds } = video;
    const isMinor = (name: Performer) => !this.performers.get(name)!.isAdult;
    const causes = {
      "consent/minor": record !== undefined && [...record.named].some(isMinor),
      "consent/ended": record?.hasEnded ?? false,
    };
    for (const [cause, applies] of Object.entries(causes)) {
      if (applies) holds.add(cause);
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

  /** Deletes a performer's record. A minor's videos stay on hold, even though the reason is no longer recorded. */
  deletePerformer(performer: Performer): void {
    const shown = this.naming(performer);
    const { isAdult } = this.performers.get(performer)!;
    for (const video of shown) {
      if (!isAdult) video.holds.add("consent/deleted-minor");
      video.record?.named.delete(performer);
    }
    this.performers.delete(performer);
    for (const video of shown) this.updateConsentHolds(video);
  }
}

const isDraft = ({ status, publishAt }: Row) => status === "review" && publishAt === null;

/** Returns whether a video is scheduled to be published before it is hidden. */
export const isInOrder = ({ publishAt, unpublishAt }: Times) =>
  publishAt === null || unpublishAt === null || publishAt < unpublishAt;
