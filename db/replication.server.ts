import { sqliteHandle } from "./client.server";
import { isReplicated, type ReplicationState, replicationState } from "./litestream.server";
import { lastHeartbeat } from "./reader-database.server";

/** How Litestream follows the site's database; undefined where it is not used. */
export function siteReplication(now = Date.now()): ReplicationState | undefined {
  const sqlite = sqliteHandle();
  return isReplicated(sqlite) ? replicationState(sqlite.name, now) : undefined;
}

/** Of a reader: seconds since the site that writes wrote the newest state of its copy. */
export function copyAgeSeconds(now = Date.now()): number {
  const at = lastHeartbeat(sqliteHandle());
  return at === undefined ? Number.POSITIVE_INFINITY : Math.max(0, Math.round((now - at) / 1000));
}
