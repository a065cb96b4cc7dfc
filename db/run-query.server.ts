import type { Compilable } from "kysely";
import { prepared, sqliteHandle } from "./client.server";

/**
 * Runs Kysely queries synchronously, with the connection's prepared statements, so that they can be part of a
 * transaction.
 */

/** Returns the rows from a query, or from the RETURNING clause of a change. */
export function allRows<Row>(query: Compilable<Row>): Row[] {
  const { sql, parameters } = query.compile();
  return prepared<Row>(sql).all(parameters);
}

/** Returns the first row from a query, or from the RETURNING clause of a change. */
export function firstRow<Row>(query: Compilable<Row>): Row | undefined {
  const { sql, parameters } = query.compile();
  return prepared<Row>(sql).get(parameters);
}

/**
 * Returns the number of rows that a change has inserted, updated or deleted.
 *
 * @throws outside a transaction, because the change would fail whenever another process is writing.
 */
export function runChange(query: Compilable<unknown>): number {
  requireTransaction();
  const { sql, parameters } = query.compile();
  return prepared(sql).run(parameters).changes;
}

/** Throws outside a transaction. Call this in functions that must run in a transaction. */
export function requireTransaction(): void {
  if (!sqliteHandle().inTransaction) throw new Error("Call this in a transaction.");
}
