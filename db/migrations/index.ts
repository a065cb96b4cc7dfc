import { migration as baseline } from "./1000-baseline";

export interface Migration {
  /** Four digits and the subject. Migrations run in the order of their names. */
  name: string;
  sql: string;
}

/**
 * The migrations in the order in which they run. Add a new one instead of changing a released one: databases record the
 * digests of their migrations, and a version with a different digest rejects them.
 */
export const migrations: readonly Migration[] = [baseline];
