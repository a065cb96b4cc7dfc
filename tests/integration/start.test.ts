import { execFile } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSqlite } from "~db/client.server";
import { SiteProcess } from "../site-process";

const START = fileURLToPath(new URL("../../scripts/start.mjs", import.meta.url));

let folder: string;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "start-test-"));
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

/** Runs the start script to its end and returns what it said. */
async function startFails(environment: Record<string, string>) {
  const env = {
    NODE_ENV: "production" as const,
    PATH: process.env.PATH ?? "",
    HOST: "127.0.0.1",
    PORT: "0",
    DATABASE_PATH: path.join(folder, "site.sqlite"),
    UPLOADS_DIR: path.join(folder, "uploads"),
    ...environment,
  };
  const failure = await promisify(execFile)(process.execPath, [START], { env }).then(
    () => undefined,
    (error: { code: number; stderr: string }) => error,
  );
  if (!failure) throw new Error("The start did not fail.");
  return { code: failure.code, said: failure.stderr.trim() };
}

describe("npm start", () => {
  it("ends with one sentence at a bad setting", async () => {
    expect(await startFails({ MAX_VIDEO_BYTES: "2GB" })).toEqual({
      code: 1,
      said: "MAX_VIDEO_BYTES must be a whole number of bytes, at least 1.",
    });
  });

  it("ends with one sentence at a database of a newer version", async () => {
    const sqlite = openSqlite(path.join(folder, "site.sqlite"));
    sqlite.exec("CREATE TABLE migrations (name TEXT PRIMARY KEY NOT NULL, ran_at TEXT)");
    sqlite.exec("INSERT INTO migrations VALUES ('9999-from-the-future', '2099-01-01')");
    sqlite.close();
    const { code, said } = await startFails({});
    expect(code).toBe(1);
    expect(said).toMatch(/^The database .+ was written by a newer version .+ a back-up\.$/);
  });

  it("ends with one sentence when the port is taken", async () => {
    const other = net.createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as net.AddressInfo;
    const { code, said } = await startFails({ PORT: String(port) });
    other.close();
    expect({ code, said }).toEqual({
      code: 1,
      said: `Port ${port} is taken; set PORT to another.`,
    });
  });

  it("prints the password of the account it makes once, and not at the next start", async () => {
    const site = new SiteProcess({ ADMIN_EMAIL: "", ADMIN_PASSWORD: "" });
    try {
      await site.start();
      const password = site.log.match(/password is (\S+)/)?.[1];
      expect(password).toBeDefined();
      expect(await site.stop()).toBe(0);
      site.log = "";
      await site.start();
      expect(site.log).not.toContain(password);
    } finally {
      await site.remove();
    }
  });

  it("keeps the database to its owner", async () => {
    const site = new SiteProcess();
    try {
      await site.start();
      expect(fs.statSync(site.databasePath).mode & 0o077).toBe(0);
    } finally {
      await site.remove();
    }
  });
});
