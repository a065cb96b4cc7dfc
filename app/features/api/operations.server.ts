import { requiredTerms } from "~/features/moderation/uploaders/terms.server";
import { studioStats } from "~/features/operations/statistics/admin-stats.server";
import { readStatistics } from "~/features/operations/statistics/statistics.server";
import { queueView } from "~/features/processing/queue/summaries.server";
import { answerUpload } from "~/features/upload/receive-upload.server";
import type { PeriodDays } from "~/shared/statistics-address";
import { API_PATH, type Call, type Operation, operation } from "./operation";
import { queue, statistics, statisticsQuery, terms } from "./schemas";
import { videoOperations } from "./video-operations.server";

const CURL = 'curl --fail-with-body -H "Authorization: Bearer $TOKEN"';
const TUS = '-H "Tus-Resumable: 1.0.0"';
const UPLOADS = "/uploads";

const siteOperations = [
  operation({
    name: "readQueue",
    method: "GET",
    path: "/queue",
    summary: "Returns the running, queued and failed jobs.",
    scope: "read",
    permission: "/admin/queue",
    answer: queue,
    status: 200,
    example: `${CURL} "$SITE/api/v1/queue"`,
    async perform() {
      const { running, waiting, failed, waitingCount, diskFull } = await queueView();
      const jobs = [...running, ...waiting, ...failed].map(
        ({ id, videoId, title, label: work, state, progress, secondsLeft, reason }) => ({
          ...{ id, videoId, title, work, state, progress, secondsLeft, reason },
        }),
      );
      return { status: 200, body: { waiting: waitingCount, diskFull, jobs } };
    },
  }),
  operation({
    name: "readStatistics",
    method: "GET",
    path: "/statistics",
    summary:
      "Returns the views per day, the most viewed videos and the storage used by each category.",
    scope: "read",
    permission: "/admin/statistics",
    query: statisticsQuery,
    answer: statistics,
    status: 200,
    example: `${CURL} "$SITE/api/v1/statistics?days=7"`,
    async perform({ query }) {
      const { totalVideos, totalViews } = await studioStats();
      const { days, videos, storage } = await readStatistics(Number(query.days) as PeriodDays);
      const totals = { videos: totalVideos, views: totalViews };
      return { status: 200, body: { ...totals, days, mostViewed: videos, storage } };
    },
  }),
  operation({
    name: "readTerms",
    method: "GET",
    path: "/terms",
    summary:
      "Returns the uploaders’ terms. If acceptance is required, send their version in the field `terms`, both in an upload’s metadata and when you create the video.",
    scope: "upload",
    permission: "/admin/terms",
    answer: terms,
    status: 200,
    example: `${CURL} "$SITE/api/v1/terms"`,
    async perform() {
      const { version = null, text = null, createdAt = null } = requiredTerms() ?? {};
      return { status: 200, body: { required: version !== null, version, text, createdAt } };
    },
  }),
];

const upload = {
  scope: "upload",
  permission: "/admin/uploads/:id?",
  perform: ({ request, user }: Call<undefined, undefined>) =>
    answerUpload(request, user, API_PATH + UPLOADS),
} as const;

/** Resumable uploads: tus 1.0 (https://tus.io/protocols/resumable-upload). */
const uploadOperations = [
  operation({
    ...upload,
    name: "beginUpload",
    method: "POST",
    path: UPLOADS,
    summary:
      "Starts a resumable upload (tus 1.0). The Location header has its URL. If the uploaders’ terms have to be accepted, send their version in the metadata field `terms`.",
    status: 201,
    example: `${CURL} -i -X POST "$SITE/api/v1/uploads" ${TUS} -H "Upload-Length: $(stat -c %s video.mp4)" \\
  -H "Upload-Metadata: filename $(printf video.mp4 | base64)"`,
  }),
  operation({
    ...upload,
    name: "readUpload",
    method: "HEAD",
    path: `${UPLOADS}/{id}`,
    summary: "Returns the number of bytes received so far in the Upload-Offset header.",
    status: 200,
    example: `${CURL} -I "$SITE/api/v1/uploads/$UPLOAD" ${TUS}`,
  }),
  operation({
    ...upload,
    name: "continueUpload",
    method: "PATCH",
    path: `${UPLOADS}/{id}`,
    summary: "Sends all or some of the remaining bytes, starting at Upload-Offset.",
    status: 204,
    example: `${CURL} -X PATCH "$SITE/api/v1/uploads/$UPLOAD" ${TUS} -H "Upload-Offset: 0" \\
  -H "Content-Type: application/offset+octet-stream" --data-binary @video.mp4`,
  }),
  operation({
    ...upload,
    name: "deleteUpload",
    method: "DELETE",
    path: `${UPLOADS}/{id}`,
    summary: "Cancels an upload. Abandoned uploads are removed after a day.",
    status: 204,
    example: `${CURL} -X DELETE "$SITE/api/v1/uploads/$UPLOAD" ${TUS}`,
  }),
];

/** All API operations, in the order in which the reference page lists them. */
export const OPERATIONS: readonly Operation<never, never>[] = [
  ...videoOperations,
  ...uploadOperations,
  ...siteOperations,
];

/** Returns the operations whose path matches, and the `{id}` in the path. */
export function operationsAt(path: string): { found: Operation<never, never>[]; id: string } {
  const parts = path.split("/");
  let id = "";
  const found = OPERATIONS.filter((operation) => {
    const wanted = operation.path.split("/").slice(1);
    if (wanted.length !== parts.length) return false;
    return wanted.every((part, index) => {
      if (part !== "{id}") return part === parts[index];
      id = parts[index] ?? "";
      return id !== "";
    });
  });
  return { found, id };
}
