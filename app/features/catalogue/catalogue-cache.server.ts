import type { Database } from "better-sqlite3";
import { LRUCache } from "lru-cache";

/**
 * Remembers what has been computed from the catalogue, by key, until the catalogue changes. Within a
 * transaction, what it returns and what is read next belong to one version.
 *
 * @param most entries; the least recently used goes.
 */
export function catalogueCache<Value extends object | number>(sqlite: Database, most: number) {
  const version = sqlite.prepare("SELECT catalogue FROM catalogue_version").pluck();
  const values = new LRUCache<string, Value>({ max: most });
  let cachedVersion: unknown;

  return (key: string, compute: () => Value): Value => {
    const now = version.get();
    if (now !== cachedVersion) values.clear();
    cachedVersion = now;
    const value = values.get(key) ?? compute();
    values.set(key, value);
    return value;
  };
}
