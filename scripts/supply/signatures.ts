// npm run signatures: has npm verify who signed the packages, where the registry offers that.
import { spawnSync } from "node:child_process";

const CANNOT = 3;
const registry = spawnSync("npm", ["config", "get", "registry"], {
  encoding: "utf8",
}).stdout.trim();

/** How many keys the registry signs with; a sentence when that can't be told. */
async function signingKeys(): Promise<number | string> {
  try {
    const answer = await fetch(new URL("-/npm/v1/keys", registry.replace(/\/?$/, "/")), {
      signal: AbortSignal.timeout(20_000),
    });
    if (!answer.ok) return `it answers ${answer.status} when asked for its keys`;
    const { keys } = (await answer.json()) as { keys?: unknown[] };
    return keys?.length ?? 0;
  } catch {
    return "it does not answer when asked for its keys";
  }
}

const keys = await signingKeys();
if (typeof keys === "number" && keys > 0) {
  const { status } = spawnSync("npm", ["audit", "signatures"], { stdio: "inherit" });
  process.exitCode = status ?? 1;
} else {
  const reason = typeof keys === "string" ? keys : "it has no keys";
  console.error(
    `The signatures could not be verified: this registry offers none (${reason}). The lock file's SHA-512 of each package was compared when it was installed.`,
  );
  process.exitCode = CANNOT;
}
