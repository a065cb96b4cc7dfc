import { migration as baseline } from "./1000-baseline";

export interface Migration {
  /** Four digits and the subject. Migrations run in the order of their names. */
  name: string;
  sql: string;
}

/**
 * The migrations in the order in which they run. A released migration is never changed, only followed by others:
 * databases record its digest, and a version with another digest refuses them.
 */
export const migrations: readonly Migration[] = [baseline];
