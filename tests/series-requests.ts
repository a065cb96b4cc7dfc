import { expect } from "vitest";
import { action, loader } from "~/features/library/routes/series-list";
import type { SeriesFailure } from "~/features/library/series/change-series.server";
import { sqliteHandle } from "~db/client.server";
import { adminCookie, expectSuccessOf } from "./admin-requests";

/** Requests to the loader and action of the studio's series pages, sent by the same signed-in admin. */

const ORIGIN = "http://localhost";
type Fields = Record<string, string>;

function args(address: string, init: RequestInit = {}) {
  const headers = { Cookie: adminCookie(), Origin: ORIGIN, Host: "localhost", ...init.headers };
  const { pathname } = new URL(address, ORIGIN);
  const id = pathname.split("/")[3];
  const request = new Request(ORIGIN + address, { ...init, headers });
  return { request, params: id === undefined ? {} : { id }, context: {} };
}

export async function seriesPage(address = "/admin/series", headers = {}) {
  const result = (await loader(args(address, { headers }))) as {
    data?: object;
    init?: { status: number };
  };
  const data = (result.data ?? result) as Partial<Awaited<ReturnType<typeof loader>>> & object;
  return { ...(data as Record<string, never>), status: result.init?.status ?? 200 } as {
    status: number;
    view: { page: number };
    isDeleting: boolean;
    all: ReturnType<typeof import("~/features/library/series/series-list.server")["listSeries"]>;
    one: {
      series: NonNullable<
        ReturnType<typeof import("~/features/library/series/series-list.server")["findSeries"]>
      >;
      list: ReturnType<
        typeof import("~/features/library/series/series-list.server")["listSeriesVideos"]
      >;
    };
  };
}

export function sendSeries(fields: Fields, address = "/admin/series", headers = {}) {
  return action(args(address, { method: "POST", body: new URLSearchParams(fields), headers }));
}

/** Sends a form that must be rejected. Checks that the error's status matches the response, and returns the error. */
export async function expectSeriesFailure(
  fields: Fields,
  address?: string,
): Promise<SeriesFailure> {
  const result = (await sendSeries(fields, address)) as unknown as {
    data: { error: SeriesFailure };
    init: { status: number };
  };
  expect(result.init.status).toBe(result.data.error.status);
  return result.data.error;
}

/** Sends a form that must succeed. Returns the redirect's target and the toast. */
export function expectSeriesSuccess(fields: Fields, address?: string) {
  return expectSuccessOf(() => sendSeries(fields, address));
}

/** Inserts a series with videos into the database. Returns the series' ID. */
export function addSeries(
  columns: { title?: string; slug?: string; description?: string; visibility?: string } = {},
  videos: readonly string[] = [],
): number {
  const row = {
    title: "Nights",
    slug: "nights",
    description: "",
    visibility: "public",
    ...columns,
  };
  const sqlite = sqliteHandle();
  const { lastInsertRowid } = sqlite
    .prepare(
      `INSERT INTO series (title, slug, description, visibility)
       VALUES (@title, @slug, @description, @visibility)`,
    )
    .run(row);
  const id = Number(lastInsertRowid);
  sqlite.prepare("INSERT INTO series_slugs (slug, series_id) VALUES (?, ?)").run(row.slug, id);
  const insert = sqlite.prepare("INSERT INTO series_videos VALUES (?, ?, ?)");
  for (const [position, video] of videos.entries()) insert.run(id, video, position);
  return id;
}

/** Returns the IDs of a series' videos in order. */
export function orderOfSeries(id: number): string[] {
  return sqliteHandle()
    .prepare("SELECT video_id FROM series_videos WHERE series_id = ? ORDER BY position")
    .pluck()
    .all(id) as string[];
}
