import type { Migration } from "../migrate.server";
import { migration as baseline } from "./1000-baseline";

/**
 * In the order they run. A released migration is never changed, only followed by another: databases record
 * its digest, and a version with another digest refuses them.
 */
export const migrations: readonly Migration[] = [baseline];
