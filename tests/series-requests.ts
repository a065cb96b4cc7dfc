import { expect } from "vitest";
import { action, loader } from "~/features/library/routes/series-list";
import type { SeriesFailure } from "~/features/library/series/change-series.server";
import { sqliteHandle } from "~db/client.server";
import { adminCookie, succeeded } from "./admin-requests";

/** The studio's pages of series through their loader and action, as one signed-in admin's requests. */

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
  const answer = (await loader(args(address, { headers }))) as {
    data?: object;
    init?: { status: number };
  };
  const shown = (answer.data ?? answer) as Partial<Awaited<ReturnType<typeof loader>>> & object;
  return { ...(shown as Record<string, never>), status: answer.init?.status ?? 200 } as {
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

/** Sends a form that is to be refused; the failure, whose status is that of the answer. */
export async function refusedSeries(fields: Fields, address?: string): Promise<SeriesFailure> {
  const answer = (await sendSeries(fields, address)) as unknown as {
    data: { error: SeriesFailure };
    init: { status: number };
  };
  expect(answer.init.status).toBe(answer.data.error.status);
  return answer.data.error;
}

/** Sends a form that is to succeed with a toast. */
export function changedSeries(fields: Fields, address?: string) {
  return succeeded(() => sendSeries(fields, address));
}

/** A series with videos, as the database has it; returns its id. */
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

/** The ids of a series' videos, as the database orders them. */
export function orderOfSeries(id: number): string[] {
  return sqliteHandle()
    .prepare("SELECT video_id FROM series_videos WHERE series_id = ? ORDER BY position")
    .pluck()
    .all(id) as string[];
}
