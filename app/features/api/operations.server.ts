import type { Operation } from "./operation";
import { siteOperations, uploadOperations } from "./site-operations.server";
import { videoOperations } from "./video-operations.server";

/** Every call of the API, in the order of its reference. */
export const OPERATIONS: readonly Operation<never, never>[] = [
  ...videoOperations,
  ...uploadOperations,
  ...siteOperations,
];

/** The operations whose path an address has, and its `{id}`. */
export function operationsAt(path: string): { found: Operation<never, never>[]; id: string } {
  const parts = path.split("/");
  let id = "";
  const found = OPERATIONS.filter((operation) => {
    const wanted = operation.path.split("/").slice(1);
    if (wanted.length !== parts.length) return false;
    return wanted.every((part, index) => {
      if (part !== "{id}") return part === parts[index];
      id = parts[index] ?? "";
      return id !== "";
    });
  });
  return { found, id };
}
