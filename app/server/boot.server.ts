import { ensureFirstAccount } from "~/account/first-account.server";
import { keepTrashEmpty } from "~/studio/trash.server";
import { closeDatabase, database } from "~db/client.server";
import { takeOverOriginCheck } from "./origin.server";
import { sendSecurityHeaders } from "./security-headers.server";
import { settings } from "./settings.server";
import { leaveAtSignals } from "./shutdown.server";

const holder = globalThis as { afterdarkBooted?: boolean };

/**
 * Everything that must be true before the first request: settings valid, database migrated.
 * What cannot be mended ends the process with one sentence.
 */
export async function boot(): Promise<void> {
  if (holder.afterdarkBooted) return;
  holder.afterdarkBooted = true;
  try {
    settings();
    database();
    await ensureFirstAccount();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
  sendSecurityHeaders();
  takeOverOriginCheck();
  leaveAtSignals();
  keepTrashEmpty();
  process.once("exit", closeDatabase);
}
