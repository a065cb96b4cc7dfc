import fs from "node:fs";
import { expect, it } from "vitest";
import { loader } from "~/features/operations/routes/statistics";
import { loader as fileLoader } from "~/features/operations/routes/statistics-file";
import {
  readDiskDays,
  readDiskStatistics,
  recordDisk,
} from "~/features/operations/statistics/daily-records.server";
import { sqliteHandle } from "~db/client.server";
import { adminCookie, useAdminSite } from "../../admin-requests";

const site = useAdminSite();
const NOON = Date.parse("2026-03-01T12:00:00Z");
const DAY_MS = 86_400_000;
const days = () => readDiskDays().map(({ day }) => day);

const loaderArgs = (file: string) => ({
  request: new Request("http://localhost/", { headers: { Cookie: adminCookie() } }),
  params: { file },
  context: {},
});

it("stores one record of disk usage per day, and updates it during the day", async () => {
  await recordDisk(NOON);
  sqliteHandle().exec("UPDATE disk_days SET used_bytes = 1");
  await recordDisk(NOON + 60 * 60_000);
  await recordDisk(NOON + DAY_MS);
  expect(days()).toEqual(["2026-03-01", "2026-03-02"]);
  const { bavail, bfree, blocks, bsize } = fs.statfsSync(site.uploads);
  for (const { used, free } of readDiskDays()) {
    expect(used).toBeGreaterThan(1);
    // Other processes may be writing to this disk at the same time.
    expect(Math.abs(used - (blocks - bfree) * bsize)).toBeLessThan(blocks * bsize * 0.1);
    expect(Math.abs(free - bavail * bsize)).toBeLessThan(blocks * bsize * 0.1);
  }
});

it("deletes records of disk usage after a year", async () => {
  sqliteHandle().exec("INSERT INTO disk_days VALUES ('2024-12-31', 1, 1), ('2025-03-01', 1, 1)");
  await recordDisk(NOON);
  expect(days()).toEqual(["2025-03-01", "2026-03-01"]);
});

it("forecasts disk usage only after a week of records, regardless of the time of day", async () => {
  await recordDisk(NOON);
  await recordDisk(NOON + 60_000);
  expect((await readDiskStatistics(NOON))?.forecast).toEqual({ kind: "unknown", daysNeeded: 7 });
  await recordDisk(NOON + 12 * 60 * 60_000);
  expect((await readDiskStatistics(NOON + DAY_MS))?.forecast).toEqual({
    kind: "unknown",
    daysNeeded: 6,
  });
  const { free } = (await readDiskStatistics(NOON))!;
  const add = sqliteHandle().prepare("INSERT OR REPLACE INTO disk_days VALUES (?, ?, 0)");
  for (let day = 0; day < 20; day += 1) {
    add.run(
      new Date(NOON + day * DAY_MS).toISOString().slice(0, 10),
      Math.round((free / 40) * day),
    );
  }
  const { forecast } = (await readDiskStatistics(NOON + 19 * DAY_MS))!;
  expect(forecast.kind).toBe("filling");
  expect((forecast as { days: number }).days).toBeCloseTo(40, 0);
});

it("shows the disk usage forecast on the statistics page, and exports the records as CSV", async () => {
  await recordDisk(NOON);
  expect(await loader(loaderArgs(""))).toMatchObject({
    disk: { used: expect.any(Number), free: expect.any(Number), forecast: { kind: "unknown" } },
  });
  const [{ used, free } = { used: 0, free: 0 }] = readDiskDays();
  expect(await (await fileLoader(loaderArgs("disk.csv"))).text()).toBe(
    `day,used bytes,free bytes\r\n2026-03-01,${used},${free}\r\n`,
  );
});

it("still shows the statistics page if the disk usage can't be read", async () => {
  fs.rmSync(site.uploads, { recursive: true });
  await recordDisk(NOON);
  expect(days()).toEqual([]);
  expect(await readDiskStatistics(NOON)).toBeUndefined();
});
