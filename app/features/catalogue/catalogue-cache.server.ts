import type { Database } from "better-sqlite3";
import { LRUCache } from "lru-cache";

/**
 * Returns a cache for values that are computed from the catalogue. It is cleared when the catalogue changes. Within a
 * transaction, the cached values are consistent with all other data that the transaction reads.
 *
 * @param max the maximum number of entries. If there are more, the least recently used entry is evicted.
 */
export function catalogueCache<Value extends object | number>(sqlite: Database, max: number) {
  const version = sqlite.prepare("SELECT catalogue FROM catalogue_version").pluck();
  const values = new LRUCache<string, Value>({ max });
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
