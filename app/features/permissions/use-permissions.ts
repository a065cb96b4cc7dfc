import { useAuth } from "~/ui/auth-context";
import type { VideoStatus } from "~db/schema";
import { allows, isDraft, type Permission, reachOf } from "./permissions";

/** The properties of a video that determine whether it is still a draft. */
interface OfVideo {
  status: VideoStatus;
  schedule: { publishAt: string | null };
}

/**
 * Returns a function that checks whether the current user has a permission, so that the page doesn't offer actions that
 * the server would refuse. The second argument is the video, for permissions that depend on one.
 *
 * Once the session has ended, the function always returns true, so that the page stays the same until the user signs in
 * again.
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
