import type { Compilable } from "kysely";
import { prepared, sqliteHandle } from "./client.server";

/**
 * Runs Kysely queries synchronously, with the connection's prepared statements, so that they can be part of a
 * transaction.
 */

/** Returns the rows of a query, or of the RETURNING clause of a change. */
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
 * @throws outside of a transaction, because it would fail whenever another process is writing.
 */
export function runChange(query: Compilable<unknown>): number {
  requireTransaction();
  const { sql, parameters } = query.compile();
  return prepared(sql).run(parameters).changes;
}

/** Throws outside of a transaction. For functions that must be part of one. */
export function requireTransaction(): void {
  if (!sqliteHandle().inTransaction) throw new Error("Call this in a transaction.");
}
