import { lower, type ReferenceVideo } from "../../catalogue-reference";

/**
 * A reference implementation of the catalogue with plain arrays, which follows the specification literally and doesn't
 * store any derived data. The public lists are computed by `tests/catalogue-reference.ts`.
 */

export const ROLES = ["owner", "editor", "publisher", "uploader"] as const;
/** A publisher is an uploader who may publish. */
export type Role = (typeof ROLES)[number];

export interface ModelVideo extends ReferenceVideo {
  owner: Role;
}

interface ModelSeries {
  /** The ID that the site assigned, taken from its response. */
  id: string;
  title: string;
  slug: string;
  isPublic: boolean;
  isDeleted: boolean;
  /** The IDs in order, including the IDs of deleted and purged videos. */
  videos: string[];
}

/** "done" or an error status. */
export type Outcome = "done" | 403 | 404 | 409 | 422;

export type BulkChange =
  | { do: "publish" | "hide" | "delete" }
  | { do: "category"; category: string }
  | { do: "add-tags" | "remove-tags"; tags: string[] }
  | { do: "add-series" | "remove-series"; series: string };

export class Reference {
  videos: ModelVideo[] = [];
  trash: ModelVideo[] = [];
  series: ModelSeries[] = [];
  private entered = 0;

  find(id: string): ModelVideo | undefined {
    return this.videos.find((video) => video.id === id);
  }

  /** All IDs that have ever been used, including the IDs of deleted and purged videos. */
  ids: string[] = [];

  /**
   * Models a row that another process inserts. If its ID already exists, the new row replaces the old one or is
   * ignored.
   */
  insert(
    video: Omit<ModelVideo, "listingOrder">,
    onConflict: "replace" | "ignore" = "replace",
  ): void {
    if (!this.ids.includes(video.id)) this.ids.push(video.id);
    if (this.find(video.id) && onConflict === "ignore") return;
    this.remove([video.id]);
    this.entered += 1;
    this.videos.push({ ...video, listingOrder: this.entered });
  }

  /** Models rows that another process deletes without moving them to the trash. */
  remove(ids: readonly string[]): void {
    this.videos = this.videos.filter(({ id }) => !ids.includes(id));
  }

  /**
   * Returns the IDs of the videos that a role may change. Uploaders may change their own videos, or only their own
   * drafts if they can't publish.
   */
  private changeable(role: Role, ids: readonly string[], publishes: boolean): string[] | 403 | 404 {
    if (role === "uploader" && publishes) return 403;
    const existing = [...new Set(ids)].filter((id) => this.find(id));
    if (role === "owner" || role === "editor") return existing;
    const own = existing.filter((id) => this.find(id)?.owner === role);
    if (own.length === 0) return 404;
    const isDraft = (id: string) => this.find(id)?.status === "review";
    return role === "uploader" && !own.every(isDraft) ? 403 : own;
  }

  edit(role: Role, id: string, texts: Partial<ModelVideo>): Outcome {
    const ids = this.changeable(role, [id], false);
    if (typeof ids === "number") return ids;
    const video = this.find(id);
    if (!video) return 404;
    Object.assign(video, texts);
    return "done";
  }

  /** @param expectedStatus the status shown next to the button. */
  toggle(role: Role, id: string, expectedStatus: string): Outcome {
    const ids = this.changeable(role, [id], true);
    if (typeof ids === "number") return ids;
    const video = this.find(id);
    if (!video) return 404;
    if (expectedStatus !== video.status) return 409;
    video.status = expectedStatus === "published" ? "hidden" : "published";
    return "done";
  }

  delete(role: Role, ids: readonly string[]): Outcome {
    const deletable = this.changeable(role, ids, false);
    if (typeof deletable === "number") return deletable;
    if (deletable.length === 0) return 404;
    const rows = this.videos.filter(({ id }) => deletable.includes(id));
    this.trash = [...this.trash.filter(({ id }) => !deletable.includes(id)), ...rows];
    this.remove(deletable);
    return "done";
  }

  /** Returns what a role sees in the trash. */
  deletedOf(role: Role): ModelVideo[] {
    if (role === "owner" || role === "editor") return this.trash;
    return this.trash.filter(
      ({ owner, status }) => owner === role && (role === "publisher" || status === "review"),
    );
  }

  restore(role: Role, id: string): Outcome {
    const video = this.deletedOf(role).find((each) => each.id === id);
    if (!video) return 404;
    if (this.find(id)) return 409;
    this.trash = this.trash.filter((each) => each !== video);
    this.insert(video);
    return "done";
  }

  purge(role: Role, ids: readonly string[]): Outcome {
    const deletable = this.deletedOf(role).filter(({ id }) => ids.includes(id));
    if (deletable.length === 0) return 404;
    this.trash = this.trash.filter((each) => !deletable.includes(each));
    const gone = deletable.map(({ id }) => id).filter((id) => !this.find(id));
    for (const each of this.series) each.videos = each.videos.filter((id) => !gone.includes(id));
    return "done";
  }

  bulk(role: Role, change: BulkChange, ids: readonly string[]): Outcome {
    if ("series" in change) return this.bulkSeries(role, change, ids);
    if (change.do === "delete") return this.delete(role, ids);
    const publishes = change.do === "publish" || change.do === "hide";
    const changing = this.changeable(role, ids, publishes);
    if (typeof changing === "number") return changing;
    if (changing.length === 0) return 404;
    for (const id of changing) applyTo(this.find(id)!, change);
    return "done";
  }

  /** Returns the videos of a series in the order in which the studio shows them. */
  orderOf({ videos }: ModelSeries): string[] {
    return videos.filter((id) => this.find(id) || this.trash.some((each) => each.id === id));
  }

  private bulkSeries(
    role: Role,
    change: Extract<BulkChange, { series: string }>,
    ids: readonly string[],
  ): Outcome {
    if (role !== "owner" && role !== "editor") return 403;
    const series = this.series.find(
      ({ title, isDeleted }) => title === change.series && !isDeleted,
    );
    if (!series) return 422;
    const existing = [...new Set(ids)].filter((id) => this.find(id));
    const order = this.orderOf(series);
    if (change.do === "add-series") {
      const added = existing.filter((id) => !order.includes(id));
      if (added.length > 0) series.videos = [...order, ...added];
      return existing.length > 0 ? "done" : 404;
    }
    const removed = order.filter((id) => ids.includes(id));
    if (removed.length > 0) series.videos = order.filter((id) => !ids.includes(id));
    return existing.length > 0 || removed.length > 0 ? "done" : 404;
  }

  moveInSeries(series: ModelSeries, id: string, to: number): Outcome {
    const order = this.orderOf(series);
    if (!order.includes(id)) return 409;
    const others = order.filter((each) => each !== id);
    const at = Math.max(0, Math.min(to - 1, others.length));
    series.videos = [...others.slice(0, at), id, ...others.slice(at)];
    return "done";
  }

  /** Replaces tags with another tag, or removes them, in every row. */
  replaceTags(role: Role, from: readonly string[], target: string | null): Outcome {
    if (role !== "owner" && role !== "editor") return 403;
    const isFrom = (tag: string) => from.includes(lower(tag));
    const tagged = this.videos.filter(({ tags }) => tags?.some(isFrom));
    if (tagged.length === 0) return 404;
    for (const video of tagged) {
      const targetKey = target && lower(target);
      let isPresent = video.tags!.some((tag) => !isFrom(tag) && lower(tag) === targetKey);
      const after: string[] = [];
      for (const tag of video.tags!) {
        if (!isFrom(tag)) after.push(tag);
        else if (target && !isPresent) {
          after.push(target);
          isPresent = true;
        }
      }
      video.tags = after.length > 0 ? after : null;
    }
    return "done";
  }
}

function applyTo(video: ModelVideo, change: Exclude<BulkChange, { series: string }>): void {
  if (change.do === "publish") video.status = "published";
  else if (change.do === "hide") video.status = "hidden";
  else if (change.do === "category") video.category = change.category;
  else if ("tags" in change) {
    const has = (list: readonly string[], tag: string) =>
      list.some((each) => lower(each) === lower(tag));
    const before = video.tags ?? [];
    const after =
      change.do === "add-tags"
        ? [...before, ...change.tags.filter((tag) => !has(before, tag))]
        : before.filter((tag) => !has(change.tags, tag));
    video.tags = after.length > 0 ? after : null;
  }
}
