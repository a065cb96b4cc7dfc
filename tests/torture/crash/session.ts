import { sendRequest } from "../../site-client";
import type { Random } from "../random";
import type { Places } from "./checks";
import type { Video } from "./model";

export const FORM = { "Content-Type": "application/x-www-form-urlencoded" };
export const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString();

export interface Session extends Places {
  /** IMPORT_DIR */
  folder: string;
  /** Environment variables for the site and for commands. */
  settings: Record<string, string>;
  cookie: string;
  random: Random;
  videos: Video[];
  /** BACKUP_DIR */
  backups: string;
  /** The last backup created while the site was stopped, and the videos in it. */
  backup?: { folder: string; videos: Video[] };
  /** Faults found so far. */
  faults: string[];
  operations: number;
}

/** Sends a request. Returns undefined if the site is killed before it responds. */
export async function send(
  { site, cookie }: Session,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: Buffer | string,
) {
  return sendRequest(site, method, path, { Cookie: cookie, ...headers }, body).catch(
    () => undefined,
  );
}
