import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { forgetSettings } from "~/platform/settings.server";
import { closeDatabase, sqliteHandle } from "~db/client.server";
import { stopRuntime } from "~db/runtime.server";
import { TEMPLATE } from "./integration/template-database";

/** They keep nothing of a site, and starting one takes a second. */
const KEPT = ["query threads", "password thread", "image process"];

export const TEST_SECRET = "a-secret-for-tests-of-32-characters";

/**
 * A site of its own in a temporary folder: real SQLite file, real folders. Point the settings at it
 * in `beforeEach`, and await its `remove()` in `afterEach`. Its database is a copy of a migrated
 * one, which takes a twentieth of the time of migrating it.
 *
 * @param environment further settings, by the names of the environment variables.
 */
export function useTemporarySite(environment: Record<string, string> = {}) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "site-test-"));
  const before = { ...process.env };
  Object.assign(process.env, {
    DATABASE_PATH: path.join(folder, "db", "site.sqlite"),
    UPLOADS_DIR: path.join(folder, "uploads"),
    SESSION_SECRET: TEST_SECRET,
    // How videos look is tested where another one is set.
    ENCODER_PRESET: "ultrafast",
    ...environment,
  });
  const template = process.env[TEMPLATE];
  if (template && environment.DATABASE_PATH === undefined) {
    fs.mkdirSync(path.join(folder, "db"), { mode: 0o700 });
    fs.copyFileSync(template, path.join(folder, "db", "site.sqlite"));
  }
  for (const name of ["videos", "thumbnails", "tmp"]) {
    fs.mkdirSync(path.join(folder, "uploads", name), { recursive: true });
  }
  forgetSettings();
  return {
    folder,
    uploads: path.join(folder, "uploads"),
    /** Copies the database. What it returns puts the copy in its place, as a restore does. */
    copyDatabase() {
      const copy = path.join(folder, "copy.sqlite");
      fs.rmSync(copy, { force: true });
      sqliteHandle().prepare("VACUUM INTO ?").run(copy);
      return () => {
        closeDatabase();
        const file = path.join(folder, "db", "site.sqlite");
        for (const suffix of ["-wal", "-shm"]) fs.rmSync(file + suffix, { force: true });
        fs.copyFileSync(copy, file);
      };
    },
    /** Stops the runtime, so that nothing of this site is left for the next test. */
    async remove() {
      await stopRuntime({ except: KEPT });
      process.env = before;
      forgetSettings();
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}
