import { randomUUID } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { SECRET_SETTINGS } from "~/platform/settings/secret-files.server";
import { parseSettings, SETTING_NAMES } from "~/platform/settings.server";

describe("settings", () => {
  it("have the documented defaults", () => {
    expect(parseSettings({})).toMatchObject({
      port: 3000,
      host: undefined,
      databasePath: "db/data/site.sqlite",
      uploadsDir: "uploads",
      siteName: "Afterdark",
      joinUrl: undefined,
      maxVideoBytes: 2_147_483_648,
      maxThumbnailBytes: 10_485_760,
      ageGate: true,
      serviceWorker: true,
    });
  });

  it("treat an empty variable as unset", () => {
    expect(parseSettings({ PORT: "", SITE_NAME: "", AGE_GATE: "" })).toEqual(parseSettings({}));
  });

  it("reduce PUBLIC_URL to an origin", () => {
    expect(parseSettings({ PUBLIC_URL: "https://Videos.example/" }).publicUrl).toBe(
      "https://videos.example",
    );
  });

  it("split SESSION_SECRET into several secrets for rotation", () => {
    const [young, old] = ["y".repeat(32), "o".repeat(32)];
    expect(parseSettings({ SESSION_SECRET: `${young}, ${old}` }).sessionSecrets).toEqual([
      young,
      old,
    ]);
  });

  describe("that are secret", () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "secret-files-"));
    afterAll(() => fs.rmSync(folder, { recursive: true }));
    const fileOf = (content: string) => {
      const file = path.join(folder, randomUUID());
      fs.writeFileSync(file, content);
      return file;
    };

    it("are read from the files specified in the environment", () => {
      const [young, old] = ["y".repeat(32), "o".repeat(32)];
      const read = parseSettings({
        SESSION_SECRET_FILE: fileOf(`${young},${old}\n`),
        ADMIN_PASSWORD_FILE: fileOf("correct horse battery\r\n"),
        METRICS_TOKEN: "",
        METRICS_TOKEN_FILE: fileOf("a-token-of-the-metrics"),
      });
      expect(read).toMatchObject({
        sessionSecrets: [young, old],
        adminPassword: "correct horse battery",
        metricsToken: "a-token-of-the-metrics",
      });
    });

    it("are validated by the same rules as other settings", () => {
      expect(() => parseSettings({ ADMIN_PASSWORD_FILE: fileOf("short\n") })).toThrow(
        "ADMIN_PASSWORD must be a password of at least 10 characters",
      );
    });

    it("are rejected with a message if the file is missing or empty, or if both variables are set", () => {
      const missing = path.join(folder, "missing");
      for (const [environment, message] of [
        [
          { SMTP_URL_FILE: missing },
          `SMTP_URL_FILE refers to ${missing}, which can't be read (ENOENT).`,
        ],
        [
          { SMTP_URL_FILE: folder },
          `SMTP_URL_FILE refers to ${folder}, which can't be read (EISDIR).`,
        ],
        [{ METRICS_TOKEN_FILE: fileOf(" \n") }, "which is empty."],
        [
          { METRICS_TOKEN: "a-token-of-the-metrics", METRICS_TOKEN_FILE: missing },
          "METRICS_TOKEN and METRICS_TOKEN_FILE are both set. Set only one of them.",
        ],
      ] as const) {
        expect(() => parseSettings(environment)).toThrow(message);
      }
    });

    it("are the only ones that can come from files", () => {
      expect(parseSettings({ SITE_NAME_FILE: fileOf("Other") }).siteName).toBe("Afterdark");
      for (const name of SECRET_SETTINGS) expect(SETTING_NAMES).toContain(name);
    });
  });

  it.each([
    ["PORT", "abc"],
    ["PORT", "70000"],
    ["PORT", "-1"],
    ["SESSION_SECRET", "one,,two"],
    ["SESSION_SECRET", "s".repeat(31)],
    ["SESSION_SECRET", `${"s".repeat(32)},short`],
    ["ADMIN_EMAIL", "nobody"],
    ["ADMIN_PASSWORD", "short"],
    ["ADMIN_PASSWORD", "é".repeat(37)],
    ["PUBLIC_URL", "ftp://videos.example"],
    ["PUBLIC_URL", "https://videos.example/path"],
    ["JOIN_URL", "javascript:alert(1)"],
    ["CONTACT_EMAIL", "@"],
    ["MAX_VIDEO_BYTES", "2GB"],
    ["MAX_VIDEO_BYTES", "0"],
    ["AGE_GATE", "maybe"],
    ["SERVICE_WORKER", "maybe"],
    ["ACCEL_PREFIX", "protected"],
    ["COUNTRY_HEADER", "X Country"],
    ["COUNTRY_RULES", "DE=shut"],
    ["LITESTREAM", "yes"],
    ["READ_ONLY_FROM", "https://writer.example/path"],
    ["READ_ONLY_FROM", "ftp://writer.example"],
    ["READ_ONLY_MAX_AGE", "10s"],
    ["AGE_CHECK_URL", "http://check.example"],
    ["AGE_CHECK_SECRET", "short"],
    ["AGE_CHECK_KEEP", "forever"],
    ["STRIKES_BLOCK", "21"],
    ["UPLOADER_MAX_BYTES", "5GB"],
    ["UPLOADER_MAX_VIDEOS_PER_DAY", "0"],
    ["UPLOADER_MAX_QUEUED_JOBS", "-1"],
    ["REQUIRE_CONSENT", "yes"],
    ["RECORDS_CUSTODIAN", " | "],
  ])("reject %s=%s with a message that names the variable", (name, value) => {
    expect(() => parseSettings({ [name]: value })).toThrow(new RegExp(`^${name} must be .+\\.$`));
  });

  it.each([
    [
      { READ_ONLY_FROM: "https://writer.example" },
      "READ_ONLY_FROM needs SESSION_SECRET, which must be",
    ],
    [{ COUNTRY_RULES: "DE=closed" }, "COUNTRY_RULES needs COUNTRY_HEADER, which must be"],
    [
      { COUNTRY_RULES: "DE=check", COUNTRY_HEADER: "X-Country" },
      "COUNTRY_RULES with check needs AGE_CHECK_URL, which must be",
    ],
    [
      { AGE_CHECK_URL: "https://check.example" },
      "AGE_CHECK_URL needs AGE_CHECK_SECRET, which must be",
    ],
  ])("reject %j if another setting that it requires is missing", (environment, message) => {
    expect(() => parseSettings(environment)).toThrow(new RegExp(`^${message} .+\\.$`));
  });
});
