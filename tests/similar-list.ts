import { page } from "./admin-requests";

/** The URL of the studio's list of similar videos. */
export const ALIKE = "/admin?tab=manage&status=similar";

export interface Shown {
  manage: {
    list: { videos: { id: string }[]; total: number };
    similar: Record<string, { id: string; title: string }[]>;
  };
}

/** Returns the data of that list, or of another list of the studio. */
export const shown = async (address = ALIKE) => ((await page(address)) as never as Shown).manage;
