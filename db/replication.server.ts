import { sqliteHandle } from "./client.server";
import { isReplicated, type ReplicationState, replicationState } from "./litestream.server";
import { lastHeartbeat } from "./reader-database.server";

/** Returns Litestream's state for the site's database; undefined if Litestream isn't used. */
export function siteReplication(now = Date.now()): ReplicationState | undefined {
  const sqlite = sqliteHandle();
  return isReplicated(sqlite) ? replicationState(sqlite.name, now) : undefined;
}

/**
 * Returns the age of a reader's replica: the number of seconds since the primary wrote the replica's latest heartbeat.
 */
export function replicaAgeSeconds(now = Date.now()): number {
  const at = lastHeartbeat(sqliteHandle());
  return at === undefined ? Number.POSITIVE_INFINITY : Math.max(0, Math.round((now - at) / 1000));
}
