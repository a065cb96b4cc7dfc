import { page } from "./admin-requests";

/** The address of the studio's list of videos that look alike. */
export const ALIKE = "/admin?tab=manage&status=similar";

export interface Shown {
  manage: {
    list: { videos: { id: string }[]; total: number };
    similar: Record<string, { id: string; title: string }[]>;
  };
}

/** What that list, or another one of the studio, shows. */
export const shown = async (address = ALIKE) => ((await page(address)) as never as Shown).manage;
