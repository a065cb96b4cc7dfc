import type { Schedule } from "~/features/visibility/schedule";
import type { VideoStatus } from "~db/schema";

/** A video as the studio's list shows it. */
export interface ManagedVideo {
  id: string;
  title: string;
  /** As stored; a legacy value is possible. */
  category: string;
  status: VideoStatus;
  duration: string;
  views: number;
  /** Disk usage of its files. */
  bytes: number;
  /** ISO 8601 UTC */
  createdAt: string;
  /** A path of this site, or null. */
  thumbnailUrl: string | null;
  schedule: Schedule;
  /** A draft that waits for an editor. */
  isReady?: boolean;
  /** It has a hold, so that nobody sees it whatever its status. */
  isHeld?: boolean;
  /** Its file or thumbnail may have private metadata, since another tool has put it in place. */
  hasMetadata?: boolean;
}

/** A video with all that can be edited. */
export interface EditableVideo extends ManagedVideo {
  description: string;
  tags: string[];
  /** The file that is played; undefined while there is none on this site. */
  videoUrl?: string;
  storyboardUrl?: string;
  captions: { url: string; label: string; added: boolean }[];
  /** Changes whenever anything of the row that an editor could see does. */
  version: string;
}

/** One page of the list, clamped to what exists. */
export interface ManagedPage {
  videos: ManagedVideo[];
  /** 1 to pageCount; 1 when the list is empty. */
  page: number;
  pageCount: number;
  total: number;
  /** A search with more matches than `total`; the list does not go on to them. */
  more: boolean;
}

/** What the toggle does to a video: published becomes hidden, anything else published. */
export function toggledStatus(status: VideoStatus): "published" | "hidden" {
  return status === "published" ? "hidden" : "published";
}
