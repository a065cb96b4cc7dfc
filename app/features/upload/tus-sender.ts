import { type Permitted, reachOf } from "~/features/permissions/permissions";

/** Whose upload it is; owners and editors may reserve all of the free space. */
export function tusSender(user: Permitted & { id: string }) {
  return { userId: user.id, isLimited: reachOf(user, "/admin/publish") !== "all" };
}
