import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { forgetSettings } from "~/platform/settings.server";
import { closeDatabase, sqliteHandle } from "~db/client.server";
import { stopRuntime } from "~db/runtime.server";
import { TEMPLATE } from "./integration/template-database";

/**
 * Services that keep running between tests. They don't store a site's state, and restarting them would take a second.
 */
const KEPT_SERVICES = ["query threads", "password thread", "image process"];

export const TEST_SECRET = "a-secret-for-tests-of-32-characters";

/**
 * Creates a site in a temporary folder, with a real SQLite file and real folders, and makes the settings refer to it.
 * Call it in `beforeEach`, and await its `remove()` in `afterEach`. The database is a copy of a migrated one. Copying
 * it takes only a twentieth of the time that the migrations would take.
 * @param environment additional settings, by the names of the environment variables.
 */
export function useTemporarySite(environment: Record<string, string> = {}) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "site-test-"));
  const before = { ...process.env };
  Object.assign(process.env, {
    DATABASE_PATH: path.join(folder, "db", "site.sqlite"),
    UPLOADS_DIR: path.join(folder, "uploads"),
    SESSION_SECRET: TEST_SECRET,
    // Tests of video quality use another preset.
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
    /** Copies the database. Returns a function that replaces the database with this copy, as a restore does. */
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
    /** Stops the runtime and removes the site, so that the next test starts from scratch. */
    async remove() {
      await stopRuntime({ except: KEPT_SERVICES });
      process.env = before;
      forgetSettings();
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}
