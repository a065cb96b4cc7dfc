import { page } from "./admin-requests";

/** The URL of the studio's list of similar videos. */
export const SIMILAR_LIST = "/admin?tab=manage&status=similar";

export interface ShownList {
  manage: {
    list: { videos: { id: string }[]; total: number };
    similar: Record<string, { id: string; title: string }[]>;
  };
}

/** Returns the data of that list or of another list in the studio. */
export const shownList = async (address = SIMILAR_LIST) =>
  ((await page(address)) as never as ShownList).manage;
