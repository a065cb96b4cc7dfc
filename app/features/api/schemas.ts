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

/** What the API takes and answers. The reference and the description for programs are made of these. */

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
    .describe("What is wrong with each field."),
});

const summary = {
  id: z.string(),
  title: z.string(),
  category: z.string().describe("Of today's categories, or as another program wrote it."),
  status,
  onHold: z
    .boolean()
    .describe(
      "Whether something keeps it from the public whatever its status is, such as a report.",
    ),
  duration: z.string().describe("minutes:seconds, such as 5:30."),
  views: z.number().int(),
  bytes: z.number().int().describe("What its files take on disk."),
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
  videos: z.array(z.object(summary)).describe("At most 50."),
});

/** A day of UTC, or a moment. */
const day = z
  .string()
  .refine((given) => readDay(given) !== undefined, "No day such as 2030-01-31.");
const sizes = PAGE_SIZES.map(String) as [string, ...string[]];
const only = (what: string) => z.literal("1").optional().describe(`1: only ${what}.`);

export const listQuery = z.strictObject({
  page: page.default(1),
  search: z.string().max(200).default("").describe("In title, description and tags."),
  status: status.optional(),
  category: category.optional(),
  from: day.optional().describe("Added on this day of UTC or later, or since this moment."),
  to: day.optional().describe("Added on this day or earlier, or before this moment."),
  uploader: z.string().min(1).max(100).optional().describe("The id of who has uploaded it."),
  scheduled: only("what is published or hidden by itself"),
  similar: only("what looks like another video"),
  failed: only("where a job has failed"),
  missing: only("where a file is missing"),
  "no-thumbnail": only("what has no thumbnail"),
  size: z.enum(sizes).default(String(DEFAULT_PAGE_SIZE)).describe("Videos of a page."),
  sort: z.enum(SORTS).default("newest"),
});

/** What the list of the studio is asked for by such a query. */
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
        .regex(/^[^,]*$/, "A tag has no comma."),
    )
    .max(MAX_TAGS),
};

const wanted = {
  publishAt: time.optional().describe("Published then; a draft until then."),
  unpublishAt: time.optional().describe("Hidden then."),
};

export const newVideo = z.strictObject({
  upload: z.string().min(1).describe("The last part of the upload's address."),
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
      "The version of the uploaders' terms that is accepted. Needed while they are required, unless the upload's metadata names it.",
    ),
});

export const terms = z.object({
  required: z.boolean().describe("Whether an upload has to accept them."),
  version: z.number().int().nullable(),
  text: z.string().nullable(),
  createdAt: time.nullable(),
});

export const videoChanges = z
  .strictObject({ ...texts, duration: z.string().max(20) })
  .partial()
  .describe("What is left out stays as it is.");

export const schedule = z.strictObject({
  publishAt: time.nullable(),
  unpublishAt: time.nullable(),
});

const job = z.object({
  id: z.number().int(),
  videoId: z.string(),
  title: z.string(),
  work: z.string().describe("What is made, such as a poster."),
  state: z.enum(["waiting", "running", "failed"]),
  progress: z.number().min(0).max(1),
  secondsLeft: z.number().optional(),
  reason: z.string().optional().describe("Why the last attempt failed."),
});

export const queue = z.object({
  waiting: z.number().int().describe("How many wait; the first hundred are among the jobs."),
  diskFull: z.boolean().describe("The queue waits until there is room."),
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
    .describe("The views of each day, the oldest first."),
  mostViewed: z.array(z.object({ id: z.string(), title: z.string(), views: z.number().int() })),
  storage: z.array(
    z.object({ category: z.string(), videos: z.number().int(), bytes: z.number().int() }),
  ),
});
