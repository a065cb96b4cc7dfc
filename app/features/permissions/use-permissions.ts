import { useAuth } from "~/ui/auth-context";
import type { VideoStatus } from "~db/schema";
import { allows, isDraft, type Permission, reachOf } from "./permissions";

/** What decides whether a video is still a draft. */
interface OfVideo {
  status: VideoStatus;
  schedule: { publishAt: string | null };
}

/**
 * Whether whoever sees the page may do something, so that it offers nothing that the server refuses.
 * Yes to all where the session has ended: the page stays as it is until somebody signs in.
 *
 * @returns a function of the permission, and of the video that it is about, if it is about one.
 */
export function usePermissions(): (permission: Permission, video?: OfVideo) => boolean {
  const { user } = useAuth();
  return (permission, video) => {
    if (!user) return true;
    if (!video || reachOf(user, permission) !== "own") return allows(user, permission);
    const { status, schedule } = video;
    return (
      allows(user, "/admin publish") || isDraft({ status, publish_at: schedule.publishAt ?? null })
    );
  };
}
