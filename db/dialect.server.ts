import type { Database, Statement } from "better-sqlite3";
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type QueryResult,
  SqliteDialect,
} from "kysely";
import { whenUnlocked } from "./lock-holder.server";

const NO_TRANSACTION =
  "Kysely transactions aren't supported: use transaction() from db/client.server.ts.";

/**
 * Kysely's SQLite dialect, with a driver for reads and single statements on the connection that `transaction` uses.
 * While another process holds the lock, queries wait without blocking the thread.
 */
export class SharedFileDialect extends SqliteDialect {
  readonly #driver: Driver;

  constructor(sqlite: Database, prepare: (sql: string) => Statement) {
    super({ database: sqlite });
    this.#driver = createDriver(sqlite, prepare);
  }

  override createDriver(): Driver {
    return this.#driver;
  }
}

/** @throws in a transaction, because a query that is awaited there wouldn't start until the transaction had ended. */
export function requireNoTransaction({ inTransaction }: Database): void {
  if (!inTransaction) return;
  throw new Error(
    "A transaction is open. Inside it, run queries with allRows, firstRow and runChange, and call only synchronous functions.",
  );
}

function createDriver(sqlite: Database, prepare: (sql: string) => Statement): Driver {
  const connection: DatabaseConnection = {
    executeQuery: (query) => whenUnlocked(sqlite, () => run(prepare, query)),
    streamQuery: () => {
      throw new Error("Streaming isn't supported: a cursor would block the only connection.");
    },
  };
  const refuse = async () => {
    throw new Error(NO_TRANSACTION);
  };
  return {
    async init() {},
    async acquireConnection() {
      requireNoTransaction(sqlite);
      return connection;
    },
    beginTransaction: refuse,
    commitTransaction: refuse,
    rollbackTransaction: refuse,
    async releaseConnection() {},
    async destroy() {
      sqlite.close();
    },
  };
}

function run<R>(prepare: (sql: string) => Statement, query: CompiledQuery): QueryResult<R> {
  const statement = prepare(query.sql);
  if (statement.reader) return { rows: statement.all(query.parameters) as R[] };
  const { changes, lastInsertRowid } = statement.run(query.parameters);
  return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
}
