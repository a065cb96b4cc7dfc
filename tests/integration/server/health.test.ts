import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { afterEach, beforeEach, expect, it } from "vitest";
import { sqliteHandle } from "~db/client.server";
import { useTemporarySite } from "../../temporary-site";

const root = fileURLToPath(new URL("../../..", import.meta.url));

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
  sqliteHandle();
});
afterEach(() => site.remove());

it("the health check reports that the uploads folder's disk is full, and leaves no file behind", async () => {
  // A file size limit makes writes fail as they would on a full disk, and setting it doesn't require root.
  const limited = 'trap "" XFSZ; ulimit -f 0; exec "$0" "$@"';
  const script =
    'import { failingChecks } from "./app/platform/health.server"; failingChecks().then((names) => console.log(names.join()));';
  const tsx = path.join(root, "node_modules/.bin/tsx");
  const { stdout } = await execa("sh", ["-c", limited, tsx, "-e", script], {
    cwd: root,
    env: { ...process.env, TSX_DISABLE_CACHE: "1" },
  });
  expect(stdout.split(",")).toContain("uploads");
  expect(fs.readdirSync(path.join(site.uploads, "tmp"))).toEqual([]);
});
