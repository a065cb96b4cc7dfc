import type { z } from "zod";
import { changeVisibilityIn, scheduleIn } from "~/features/library/change-visibility.server";
import { editTextsIn } from "~/features/library/edit/edit.server";
import { findEditable, listManaged } from "~/features/library/list/managed-list.server";
import type { EditableVideo, FormRefusal, ManagedVideo } from "~/features/library/managed-video";
import { NOT_A_DRAFT } from "~/features/library/refusals.server";
import { NOT_ALLOWED } from "~/features/permissions/guard.server";
import { isRefusal } from "~/features/permissions/may-change.server";
import type { OwnVideos } from "~/features/permissions/permissions";
import { EVIDENCE_MESSAGE } from "~/features/trash/evidence.server";
import { deleteVideoIn } from "~/features/trash/remove.server";
import { publishReceivedForm } from "~/features/upload/receive-upload.server";
import type { UploadSuccess } from "~/features/upload/upload-fields";
import { fieldProblems, Problem } from "~/platform/problem";
import { retryAfter } from "~/platform/retry-after.server";
import { videoPath } from "~/shared/addresses";
import { API_PATH, type ApiResponse, type Call, operation } from "./operation";
import { listQuery, newVideo, schedule, video, videoChanges, videoPage, viewOf } from "./schemas";

const CURL = 'curl --fail-with-body -H "Authorization: Bearer $TOKEN"';
const JSON_TYPE = '-H "Content-Type: application/json"';

export const videoOperations = [
  operation({
    name: "listVideos",
    method: "GET",
    path: "/videos",
    summary: "Lists videos of any status, 50 per page by default.",
    scope: "read",
    permission: "/admin",
    query: listQuery,
    answer: videoPage,
    status: 200,
    example: `${CURL} "$SITE/api/v1/videos?status=review&sort=oldest"`,
    async perform({ query, own }) {
      const found = await listManaged({ ...viewOf(query), uploadedBy: own?.userId });
      // Pages after the last one are empty, so that clients that page through the list know when to stop.
      const videos = found.page === query.page ? found.videos.map(summaryOf) : [];
      const { pageCount: pages, total } = found;
      return { status: 200, body: { page: query.page, pages, total, videos } };
    },
  }),
  operation({
    name: "readVideo",
    method: "GET",
    path: "/videos/{id}",
    summary: "Returns a video. To change it, you need its ETag.",
    scope: "read",
    permission: "/admin",
    answer: video,
    status: 200,
    example: `${CURL} -i "$SITE/api/v1/videos/$VIDEO"`,
    async perform({ request, id, own }) {
      const found = required(findEditable(id, own?.userId));
      const answer = videoResponse(found);
      const known = request.headers.get("If-None-Match")?.split(/\s*,\s*/) ?? [];
      if (!known.some((each) => each.replace(/^W\//, "") === etagOf(found))) return answer;
      return new Response(null, { status: 304, headers: answer.headers });
    },
  }),
  operation({
    name: "createVideo",
    method: "POST",
    path: "/videos",
    summary:
      "Creates a video from a complete upload, either as a draft or, if the token has the publish scope, as a published video.",
    scope: "upload",
    permission: "/admin/publish",
    body: newVideo,
    answer: video,
    status: 201,
    example: `${CURL} -X POST "$SITE/api/v1/videos" -H "Idempotency-Key: $UPLOAD" ${JSON_TYPE} \\
  -d '{"upload":"'"$UPLOAD"'","title":"Evening by the sea","description":"Waves.","category":"desi","tags":["sea"]}'`,
    async perform({ body, user, scopes, own, recordResponse }) {
      const publishes = body.status === "published" || body.publishAt || body.unpublishAt;
      if (publishes && !scopes.includes("publish")) {
        throw new Problem(
          403,
          "This token can only save drafts. To publish, it needs the scope “publish”.",
        );
      }
      const record = ({ id }: { id: string }) => recordResponse(createdResponse(findEditable(id)));
      const { id } = await createFromUpload(body, user.id, own, record);
      return createdResponse(findEditable(id));
    },
  }),
  operation({
    name: "changeVideo",
    method: "PATCH",
    path: "/videos/{id}",
    summary:
      "Changes the details of a video. Send its ETag as If-Match, or * to overwrite any version.",
    scope: "edit",
    permission: "/admin update",
    body: videoChanges,
    answer: video,
    status: 200,
    example: `ETAG=$(${CURL} -sI "$SITE/api/v1/videos/$VIDEO" | sed -n 's/^etag: //Ip' | tr -d '\\r')
${CURL} -X PATCH "$SITE/api/v1/videos/$VIDEO" -H "If-Match: $ETAG" ${JSON_TYPE} -d '{"title":"Morning by the sea"}'`,
    change({ request, id, body, user, own }) {
      const versions = requiredVersions(request);
      const now = changed(id, own).version;
      const version = versions?.includes(now) ? now : versions?.[0];
      const { tags, ...given } = body;
      const texts = { ...given, ...(tags && { tags: tags.join(",") }) };
      assertDone(editTextsIn({ id, version, texts }, user.id));
      return videoResponse(changed(id, own));
    },
  }),
  ...(["publish", "hide"] as const).map((name) =>
    operation({
      name: `${name}Video`,
      method: "POST",
      path: `/videos/{id}/${name}`,
      summary:
        name === "publish"
          ? "Publishes a video. Does nothing if it is already published."
          : "Hides a video from the site immediately and cancels its schedule.",
      scope: "publish",
      permission: "/admin toggle",
      answer: video,
      status: 200,
      example: `${CURL} -X POST "$SITE/api/v1/videos/$VIDEO/${name}"`,
      change({ id, user, own }: Call<undefined, undefined>) {
        assertDone(changeVisibilityIn(id, name, user.id));
        return videoResponse(changed(id, own));
      },
    }),
  ),
  operation({
    name: "scheduleVideo",
    method: "PUT",
    path: "/videos/{id}/schedule",
    summary: "Sets when a video is published and hidden automatically. Use null for never.",
    scope: "publish",
    permission: "/admin schedule",
    body: schedule,
    answer: video,
    status: 200,
    example: `${CURL} -X PUT "$SITE/api/v1/videos/$VIDEO/schedule" ${JSON_TYPE} \\
  -d '{"publishAt":null,"unpublishAt":"'"$(date -u -d '1 year' +%FT%TZ)"'"}'`,
    change({ id, body, user, own }) {
      const { publishAt, unpublishAt } = body;
      const typed = { publishAt: publishAt ?? "", unpublishAt: unpublishAt ?? "" };
      assertDone(scheduleIn(id, typed, user.id));
      return videoResponse(changed(id, own));
    },
  }),
  operation({
    name: "deleteVideo",
    method: "DELETE",
    path: "/videos/{id}",
    summary:
      "Moves a video and its files to the trash. It can be restored in the studio for 30 days.",
    scope: "delete",
    permission: "/admin delete",
    status: 204,
    example: `${CURL} -X DELETE "$SITE/api/v1/videos/$VIDEO"`,
    change({ id, user }) {
      assertDone(deleteVideoIn(id, user.id));
      return { status: 204 };
    },
  }),
];

function required(found: EditableVideo | undefined): EditableVideo {
  if (!found) throw new Problem(404, "This video doesn’t exist.");
  return found;
}

/** Returns a video with the changes made by the current transaction. */
function changed(id: string, own: OwnVideos | undefined): EditableVideo {
  return required(findEditable(id, own?.userId));
}

/**
 * @throws {Problem} 409 for a retried request whose video has been deleted in the meantime.
 */
function createdResponse(found: EditableVideo | undefined): ApiResponse {
  if (!found) throw new Problem(409, "The video of this upload was deleted.");
  const created = videoResponse(found);
  const address = `${API_PATH}/videos/${found.id}`;
  return { ...created, status: 201, headers: { ...created.headers, Location: address } };
}

function videoResponse(found: EditableVideo): ApiResponse & { headers: Record<string, string> } {
  const { description, tags, captions } = found;
  const tracks = captions.map(({ url, label }) => ({ url, label }));
  const body = { ...summaryOf(found), description, tags, captions: tracks };
  const link = `<${videoPath(found.id)}>; rel="alternate"`;
  return { status: 200, body, headers: { ETag: etagOf(found), Link: link } };
}

function summaryOf({ schedule: times, ...row }: ManagedVideo) {
  const { id, title, category, status, duration, views, bytes, createdAt, thumbnailUrl } = row;
  const about = { id, title, category, status, duration, views, bytes, createdAt, thumbnailUrl };
  return { ...about, onHold: row.isHeld ?? false, ...times };
}

const etagOf = ({ version }: EditableVideo) => `"${version}"`;

/**
 * Returns the versions that a change may be based on; undefined for any. Unlike RFC 9110 §13.1.1, weak tags match too:
 * proxies that compress responses make tags weak, and the version identifies the state of the video, not the bytes of a
 * response.
 *
 * @throws {Problem} 428 without the header, 400 if it isn't a list of tags.
 */
function requiredVersions(request: Request): string[] | undefined {
  const header = request.headers.get("If-Match")?.trim();
  if (!header) throw new Problem(428, "Send the video’s ETag as If-Match.");
  if (header === "*") return undefined;
  const tags = header.split(",").map((tag) => /^(?:W\/)?"([^"]*)"$/.exec(tag.trim())?.[1]);
  if (tags.every((tag) => tag !== undefined)) return tags;
  throw new Problem(400, 'If-Match must be * or a list of ETags in quotes, such as "5".');
}

/**
 * Creates a video from an upload, as the upload form does.
 *
 * @param alongside see `Upload`.
 * @throws {Problem} with the upload form's message.
 */
async function createFromUpload(
  body: z.infer<typeof newVideo>,
  userId: string,
  own: OwnVideos | undefined,
  alongside: (outcome: UploadSuccess) => void,
): Promise<UploadSuccess> {
  const { upload, title, description, category, publishAt = "", unpublishAt = "" } = body;
  const fields = new Map(
    Object.entries({
      ...{ upload, title, description, category, publishAt, unpublishAt },
      intent: body.status === "draft" ? "draft" : "publish",
      tags: body.tags.join(","),
      ...(body.terms !== undefined && { terms: String(body.terms) }),
    }),
  );
  const form = { fields, files: new Map() };
  const outcome = await publishReceivedForm(form, userId, own, alongside);
  if (outcome.ok) return outcome.video;
  const { message, fields: wrong } = outcome.failure;
  const headers = retryAfter(outcome.retryAfterSeconds);
  throw new Problem(outcome.status, message, fieldProblems(wrong), headers);
}

/** The HTTP status and message for each refusal. */
const PROBLEMS: Record<FormRefusal["code"], readonly [status: number, detail: string]> = {
  gone: [404, "This video doesn’t exist."],
  "not-allowed": [403, NOT_ALLOWED],
  "not-a-draft": [403, NOT_A_DRAFT],
  evidence: [409, EVIDENCE_MESSAGE],
  "status-changed": [409, "The status of the video has changed since you read it."],
  "not-publishable": [422, "The video can’t be published."],
  // The version in the If-Match header is outdated.
  changed: [412, "The video has changed since you read it."],
  invalid: [422, "Some fields are invalid."],
  "invalid-schedule": [422, "Some fields are invalid."],
  "file-refused": [422, "The file was rejected."],
  busy: [503, "The database is busy. Try again in a few seconds."],
  failed: [500, "Something went wrong."],
};

/** @throws {Problem} for a refusal. */
function assertDone<Outcome extends object | undefined>(
  outcome: Outcome | FormRefusal,
): asserts outcome is Exclude<Outcome, FormRefusal> {
  if (isRefusal(outcome)) throw refusalProblem(outcome);
}

function refusalProblem(refusal: FormRefusal): Problem {
  const [status, detail] = PROBLEMS[refusal.code];
  const edited = "edit" in refusal ? refusal.edit.fields : {};
  const scheduled = "schedule" in refusal ? refusal.schedule.fields : {};
  const errors = fieldProblems({ ...edited, ...scheduled });
  return new Problem(status, "reason" in refusal ? refusal.reason : detail, errors);
}
