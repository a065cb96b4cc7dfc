import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkTransfer } from "~/features/operations/alerts/check-alerts.server";
import { loader } from "~/features/operations/routes/statistics";
import { loader as fileLoader } from "~/features/operations/routes/statistics-file";
import {
  readTransfer,
  recordTransfer,
} from "~/features/operations/statistics/daily-records.server";
import { loader as media } from "~/features/watch/routes/media";
import { counts } from "~/platform/counts.server";
import { forgetSettings } from "~/platform/settings.server";
import { sqliteHandle } from "~db/client.server";
import { addVideo, adminCookie, useAdminSite } from "../../admin-requests";

const site = useAdminSite();
const NOON = Date.parse("2026-03-31T12:00:00Z");
const DAY_MS = 86_400_000;
const MB = 1024 ** 2;

const rows = () => sqliteHandle().prepare("SELECT day, bytes FROM transfer_days").all();
const loaderArgs = (file = "") => ({
  request: new Request("http://localhost/", { headers: { Cookie: adminCookie() } }),
  params: { file },
  context: {},
});

describe("a day's transfer total", () => {
  it("is the sum of all sent bytes, without counting any of them twice", () => {
    recordTransfer(NOON);
    expect(rows()).toEqual([]);
    counts().mediaBytes += 5;
    recordTransfer(NOON);
    recordTransfer(NOON);
    counts().mediaBytes += 7;
    recordTransfer(NOON + 60_000);
    counts().mediaBytes += 9;
    recordTransfer(NOON + DAY_MS);
    expect(rows()).toEqual([
      { day: "2026-03-31", bytes: 12 },
      { day: "2026-04-01", bytes: 9 },
    ]);
  });

  it("is shown for each day of the period, along with this month's total, and exported as CSV", async () => {
    sqliteHandle().exec("INSERT INTO transfer_days VALUES ('2026-02-28', 1), ('2026-03-30', 2)");
    counts().mediaBytes += 4;
    const { days, month } = readTransfer(7, NOON);
    expect(days).toHaveLength(7);
    expect(days.slice(-3)).toEqual([
      { day: "2026-03-29", bytes: 0 },
      { day: "2026-03-30", bytes: 2 },
      { day: "2026-03-31", bytes: 4 },
    ]);
    expect(month).toEqual({ month: "2026-03", bytes: 6 });
    expect(await loader(loaderArgs())).toMatchObject({ transfer: { days: { length: 30 } } });
    expect(await (await fileLoader(loaderArgs("transfer-by-day.csv"))).text()).toBe(
      "day,bytes\r\n2026-02-28,1\r\n2026-03-30,2\r\n2026-03-31,4\r\n",
    );
  });
});

describe("files that nginx sends", () => {
  beforeEach(() => {
    process.env.ACCEL_PREFIX = "/protected";
    forgetSettings();
  });
  afterEach(() => {
    delete process.env.ACCEL_PREFIX;
    forgetSettings();
  });

  it("add the number of requested bytes to the total", async () => {
    const url = "/media/videos/u/1700000000000.mp4";
    const file = path.join(site.uploads, "videos/u/1700000000000.mp4");
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, "0123456789");
    addVideo({ video_url: url });
    const counted = async (headers: Record<string, string> = {}, method = "GET") => {
      const before = counts().mediaBytes;
      const request = new Request(`http://localhost${url}`, { headers, method });
      const response = (await media({ request, params: {}, context: {} } as never)) as Response;
      expect(response.headers.get("X-Accel-Redirect")).toBe(
        "/protected/videos/u/1700000000000.mp4",
      );
      return counts().mediaBytes - before;
    };
    expect(await counted()).toBe(10);
    expect(await counted({ Range: "bytes=2-5" })).toBe(4);
    expect(await counted({ Range: "bytes=20-" })).toBe(0);
    expect(await counted({ "If-None-Match": '"x"' })).toBe(0);
    expect(await counted({}, "HEAD")).toBe(0);
  });
});

describe("alerts for the monthly budget", () => {
  const send = (bytes: number, at: number) => {
    counts().mediaBytes += bytes;
    recordTransfer(at);
  };
  const setBudget = (bytes?: number) => {
    if (bytes === undefined) delete process.env.TRANSFER_BUDGET_BYTES;
    else process.env.TRANSFER_BUDGET_BYTES = String(bytes);
    forgetSettings();
  };
  const alerts = () =>
    sqliteHandle()
      .prepare("SELECT kind, resolved_at IS NULL FROM alerts ORDER BY rowid")
      .raw()
      .all();
  afterEach(() => setBudget());

  it("aren't raised without a budget", async () => {
    send(1e15, NOON);
    await checkTransfer(NOON);
    expect(alerts()).toEqual([]);
  });

  it("are raised once at 80% and once at 100%, and resolved at the end of the month", async () => {
    setBudget(100 * MB);
    send(79 * MB, NOON);
    await checkTransfer(NOON);
    expect(alerts()).toEqual([]);
    send(MB, NOON);
    for (let time = 0; time < 3; time++) await checkTransfer(NOON + time * 60_000);
    expect(alerts()).toEqual([["transfer-near", 1]]);
    send(20 * MB, NOON);
    for (let time = 0; time < 3; time++) await checkTransfer(NOON + time * 60_000);
    const open = [
      ["transfer-near", 1],
      ["transfer-over", 1],
    ];
    expect(alerts()).toEqual(open);
    const messages = sqliteHandle().prepare("SELECT message FROM alerts").pluck().all();
    expect(messages[1]).toBe(
      "100MB of video files were sent in 2026-03 (UTC). The monthly budget is 100MB.",
    );
    await checkTransfer(NOON + DAY_MS);
    expect(alerts()).toEqual(open.map(([kind]) => [kind, 0]));
    send(85 * MB, NOON + DAY_MS);
    await checkTransfer(NOON + DAY_MS);
    expect(alerts().slice(2)).toEqual([["transfer-near", 1]]);
  });

  it("use the current budget, and raise only the more serious alert if both thresholds are exceeded", async () => {
    setBudget(100 * MB);
    send(300 * MB, NOON);
    await checkTransfer(NOON);
    expect(alerts()).toEqual([["transfer-over", 1]]);
    setBudget(1000 * MB);
    await checkTransfer(NOON);
    expect(alerts()).toEqual([["transfer-over", 0]]);
    setBudget(310 * MB);
    await checkTransfer(NOON);
    expect(alerts()).toEqual([
      ["transfer-over", 0],
      ["transfer-near", 1],
    ]);
    setBudget();
    await checkTransfer(NOON);
    expect(alerts()).toEqual([
      ["transfer-over", 0],
      ["transfer-near", 0],
    ]);
  });
});
