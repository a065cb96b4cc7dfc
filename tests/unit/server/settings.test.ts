import { describe, expect, it } from "vitest";
import { parseSettings } from "~/server/settings.server";

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

  it("take an empty variable as unset", () => {
    expect(parseSettings({ PORT: "", SITE_NAME: "", AGE_GATE: "" })).toEqual(parseSettings({}));
  });

  it("reduce PUBLIC_URL to an origin", () => {
    expect(parseSettings({ PUBLIC_URL: "https://Videos.example/" }).publicUrl).toBe(
      "https://videos.example",
    );
  });

  it("split SESSION_SECRET for rotation", () => {
    const [young, old] = ["y".repeat(32), "o".repeat(32)];
    expect(parseSettings({ SESSION_SECRET: `${young}, ${old}` }).sessionSecrets).toEqual([
      young,
      old,
    ]);
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
    ["REQUIRE_CONSENT", "yes"],
    ["RECORDS_CUSTODIAN", " | "],
  ])("refuse %s=%s with one sentence that names the variable", (name, value) => {
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
  ])("refuse %j, which does nothing by itself, with one sentence", (environment, sentence) => {
    expect(() => parseSettings(environment)).toThrow(new RegExp(`^${sentence} .+\\.$`));
  });
});
