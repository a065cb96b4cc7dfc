import type { ColumnType, Generated } from "kysely";

/** Times are ISO 8601 UTC text. */
type Time = string;

export type SeriesVisibility = "public" | "studio";

/** An ordered playlist. */
export interface SeriesTable {
  id: Generated<number>;
  title: string;
  /** What its address ends in. */
  slug: string;
  description: Generated<string>;
  visibility: Generated<SeriesVisibility>;
  /** Rises with each change. */
  version: Generated<number>;
  created_at: Generated<Time>;
  updated_at: Generated<Time>;
  /** Null unless it is in the trash. */
  deleted_at: Time | null;
}

/** Every slug that a series has or had. */
export interface SeriesSlugsTable {
  slug: string;
  series_id: number;
}

/** The videos of a series, those in the trash included. */
export interface SeriesVideosTable {
  series_id: number;
  video_id: string;
  position: number;
}

/** The series that home shows; no row for none. */
export interface FeaturedSeriesTable {
  id: ColumnType<1, 1, never>;
  series_id: number;
}
