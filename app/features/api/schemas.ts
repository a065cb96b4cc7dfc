import { z } from "zod";
import {
  DEFAULT_PAGE_SIZE,
  type ManageView,
  PAGE_SIZES,
  type PageSize,
  PROBLEMS,
  readDay,
  SORTS,
} from "~/features/library/list/manage-address";
import { CATEGORY_IDS, type CategoryId } from "~/shared/categories";
import {
  MAX_DESCRIPTION_LENGTH,
  MAX_TAG_LENGTH,
  MAX_TAGS,
  MAX_TITLE_LENGTH,
} from "~/shared/video-limits";
import { VIDEO_STATUSES } from "~db/schema";

/** The API's schemas. The reference page and the OpenAPI document are generated from them. */

const time = z.string().describe("ISO 8601 UTC, such as 2030-01-31T18:00:00.000Z.");
const category = z.enum(CATEGORY_IDS as [string, ...string[]]);
const status = z.enum(VIDEO_STATUSES);
const page = z.coerce.number().int().min(1).max(10_000_000);

export const problem = z.object({
  type: z.literal("about:blank"),
  title: z.string(),
  status: z.number().int(),
  detail: z.string(),
  errors: z
    .array(z.object({ field: z.string(), detail: z.string() }))
    .optional()
    .describe("The error for each invalid field."),
});

const summary = {
  id: z.string(),
  title: z.string(),
  category: z
    .string()
    .describe("One of the current categories, or a value stored by another tool."),
  status,
  onHold: z
    .boolean()
    .describe(
      "Whether the video is hidden regardless of its status, for example because of a report.",
    ),
  duration: z.string().describe("minutes:seconds, such as 5:30."),
  views: z.number().int(),
  bytes: z.number().int().describe("The disk space that its files use."),
  createdAt: time,
  publishAt: time.nullable(),
  unpublishAt: time.nullable(),
  thumbnailUrl: z.string().nullable(),
};

export const video = z.object({
  ...summary,
  description: z.string(),
  tags: z.array(z.string()),
  captions: z.array(z.object({ url: z.string(), label: z.string() })),
});

export const videoPage = z.object({
  page,
  pages: z.number().int(),
  total: z.number().int(),
  videos: z.array(z.object(summary)).describe("At most `size` videos."),
});

/** A date (UTC) or a timestamp. */
const day = z
  .string()
  .refine((given) => readDay(given) !== undefined, "Use a date such as 2030-01-31.");
const sizes = PAGE_SIZES.map(String) as [string, ...string[]];
const only = (what: string) => z.literal("1").optional().describe(`Set to 1 to list only ${what}.`);

export const listQuery = z.strictObject({
  page: page.default(1),
  search: z
    .string()
    .max(200)
    .default("")
    .describe("Text to search for in titles, descriptions and tags."),
  status: status.optional(),
  category: category.optional(),
  from: day
    .optional()
    .describe("Added on or after this date (UTC), or at or after this timestamp."),
  to: day.optional().describe("Added on or before this date (UTC), or before this timestamp."),
  uploader: z.string().min(1).max(100).optional().describe("The id of the uploader."),
  scheduled: only("videos with a schedule"),
  similar: only("possible duplicates"),
  failed: only("videos with a failed job"),
  missing: only("videos with a missing file"),
  "no-thumbnail": only("videos without a thumbnail"),
  size: z.enum(sizes).default(String(DEFAULT_PAGE_SIZE)).describe("Videos per page."),
  sort: z.enum(SORTS).default("newest"),
});

/** Returns the view of the studio's video list that corresponds to a query. */
export function viewOf({
  scheduled,
  similar,
  size,
  ...query
}: z.output<typeof listQuery>): ManageView {
  const problems = PROBLEMS.filter((problem) => query[problem]);
  return {
    ...query,
    category: query.category as CategoryId | undefined,
    ...(scheduled && { scheduled: true }),
    ...(similar && { similar: true }),
    ...(problems.length > 0 && { problems }),
    size: Number(size) as PageSize,
  };
}

const texts = {
  title: z.string().max(MAX_TITLE_LENGTH),
  description: z.string().max(MAX_DESCRIPTION_LENGTH),
  category,
  tags: z
    .array(
      z
        .string()
        .max(MAX_TAG_LENGTH)
        .regex(/^[^,]*$/, "A tag can’t contain a comma."),
    )
    .max(MAX_TAGS),
};

const wanted = {
  publishAt: time.optional().describe("When to publish the video. It is a draft until then."),
  unpublishAt: time.optional().describe("When to hide the video."),
};

export const newVideo = z.strictObject({
  upload: z.string().min(1).describe("The last segment of the upload’s URL."),
  ...texts,
  tags: texts.tags.default([]),
  status: z.enum(["published", "draft"]).default("draft"),
  ...wanted,
  terms: z
    .number()
    .int()
    .min(1)
    .optional()
    .describe(
      "The version of the uploaders’ terms that you accept. Required if acceptance is required, unless it is in the upload’s metadata.",
    ),
});

export const terms = z.object({
  required: z.boolean().describe("Whether uploaders have to accept the terms."),
  version: z.number().int().nullable(),
  text: z.string().nullable(),
  createdAt: time.nullable(),
});

export const videoChanges = z
  .strictObject({ ...texts, duration: z.string().max(20) })
  .partial()
  .describe("Omitted fields stay unchanged.");

export const schedule = z.strictObject({
  publishAt: time.nullable(),
  unpublishAt: time.nullable(),
});

const job = z.object({
  id: z.number().int(),
  videoId: z.string(),
  title: z.string(),
  work: z.string().describe("The kind of job."),
  state: z.enum(["waiting", "running", "failed"]),
  progress: z.number().min(0).max(1),
  secondsLeft: z.number().optional(),
  reason: z.string().optional().describe("The reason why the last attempt failed."),
});

export const queue = z.object({
  waiting: z
    .number()
    .int()
    .describe("The number of queued jobs. The first 100 are listed in `jobs`."),
  diskFull: z.boolean().describe("Whether the queue is waiting for free disk space."),
  jobs: z.array(job),
});

export const statisticsQuery = z.strictObject({
  days: z.enum(["7", "30", "90"]).default("30"),
});

export const statistics = z.object({
  videos: z.number().int(),
  views: z.number().int(),
  days: z
    .array(z.object({ day: z.string().describe("YYYY-MM-DD, UTC"), views: z.number().int() }))
    .describe("The views per day, oldest first."),
  mostViewed: z.array(z.object({ id: z.string(), title: z.string(), views: z.number().int() })),
  storage: z.array(
    z.object({ category: z.string(), videos: z.number().int(), bytes: z.number().int() }),
  ),
});
