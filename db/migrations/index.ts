import { migration as baseline } from "./1000-baseline";
import { migration as searchWords } from "./1001-search-words";

export interface Migration {
  /** Each name consists of four digits and the subject. Migrations run in the order of their names. */
  name: string;
  sql: string;
}

/**
 * The migrations in the order in which they run. Add a new migration instead of changing a released one: databases
 * record the digests of their migrations, and a version whose migrations have different digests refuses to open them.
 */
export const migrations: readonly Migration[] = [baseline, searchWords];
