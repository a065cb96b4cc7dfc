import type { Compilable } from "kysely";
import { prepared, sqliteHandle } from "./client.server";

/** Runs what Kysely has built immediately, on the connection's prepared statements, as a part of a transaction. */

/** Returns the rows of a query, or those that a change returns. */
export function allRows<Row>(query: Compilable<Row>): Row[] {
  const { sql, parameters } = query.compile();
  return prepared<Row>(sql).all(parameters);
}

/** Returns the first of these rows. */
export function firstRow<Row>(query: Compilable<Row>): Row | undefined {
  const { sql, parameters } = query.compile();
  return prepared<Row>(sql).get(parameters);
}

/**
 * Returns how many rows a change has inserted, updated or deleted.
 *
 * @throws outside of a transaction, where it would fail whenever another process is writing.
 */
export function runChange(query: Compilable<unknown>): number {
  requireTransaction();
  const { sql, parameters } = query.compile();
  return prepared(sql).run(parameters).changes;
}

/** @throws outside of a transaction: what calls this is a part of one. */
export function requireTransaction(): void {
  if (!sqliteHandle().inTransaction) throw new Error("Call this in a transaction.");
}
