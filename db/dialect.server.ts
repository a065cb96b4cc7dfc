import type { Database, Statement } from "better-sqlite3";
import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type QueryResult,
  SqliteDialect,
} from "kysely";
import { LRUCache } from "lru-cache";
import { whenUnlocked } from "./lock-holder.server";

/** Distinct queries that stay prepared; the site has about two hundred. */
const MOST_STATEMENTS = 500;

const COMMIT = CompiledQuery.raw("COMMIT");
const ROLLBACK = CompiledQuery.raw("ROLLBACK");

/**
 * Kysely's SQLite dialect with a driver for one connection that other processes share:
 * - transactions begin immediate. A deferred one that read first fails at its first write when
 *   another process wrote in between, and no waiting helps it (SQLITE_BUSY_SNAPSHOT);
 * - who meets another process's lock waits without holding the thread or the connection;
 * - statements stay prepared.
 */
export class SharedFileDialect extends SqliteDialect {
  readonly #sqlite: Database;

  constructor(sqlite: Database) {
    super({ database: sqlite });
    this.#sqlite = sqlite;
  }

  override createDriver(): Driver {
    return new SharedFileDriver(this.#sqlite);
  }
}

class SharedFileDriver implements Driver {
  readonly #sqlite: Database;
  readonly #statements = new LRUCache<string, Statement>({ max: MOST_STATEMENTS });
  /** The transaction that is open. Until it ends, queries of others wait. */
  #open?: { connection: DatabaseConnection; ended: Promise<void>; end: () => void };

  constructor(sqlite: Database) {
    this.#sqlite = sqlite;
  }

  async init(): Promise<void> {}
  async releaseConnection(): Promise<void> {}
  async destroy(): Promise<void> {
    this.#sqlite.close();
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    const connection: DatabaseConnection = {
      executeQuery: (query) => whenUnlocked(this.#sqlite, () => this.#run(connection, query)),
      streamQuery: () => {
        throw new Error("Queries are not streamed: a cursor would hold the one connection.");
      },
    };
    return connection;
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await whenUnlocked(this.#sqlite, async () => {
      while (this.#open) await this.#open.ended;
      this.#prepare("BEGIN IMMEDIATE").run();
      let end = () => {};
      const ended = new Promise<void>((resolve) => {
        end = resolve;
      });
      this.#open = { connection, ended, end };
    });
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(COMMIT);
    this.#close();
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      // After some failures, such as a full disk, SQLite has rolled back by itself.
      if (this.#sqlite.inTransaction) await connection.executeQuery(ROLLBACK);
    } finally {
      this.#close();
    }
  }

  #close(): void {
    this.#open?.end();
    this.#open = undefined;
  }

  async #run<R>(connection: DatabaseConnection, query: CompiledQuery): Promise<QueryResult<R>> {
    while (this.#open && this.#open.connection !== connection) await this.#open.ended;
    const statement = this.#prepare(query.sql);
    if (statement.reader) return { rows: statement.all(query.parameters) as R[] };
    const { changes, lastInsertRowid } = statement.run(query.parameters);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  #prepare(sql: string): Statement {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#sqlite.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}
