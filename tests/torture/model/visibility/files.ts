import { randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { type Outcome, ROLES, type Role } from "../reference";
import { expectSame } from "../step";
import { number } from "../values";
import { type Kind, MAX_VIDEOS, moderator, pick, sender, submitForm, times } from "./common";
import { replaceVideo } from "./moderation";
import {
  isInOrder,
  type ModelVideo,
  type Row,
  type Times,
  type VisibilityModel,
} from "./reference";
import { TAG, type VisibilitySite, WORD } from "./site";

/** Steps that add files: uploads, the HTTP API, the import folder, and replacements. */

const TEXTS = { description: "Waves.", category: "desi" };
const IMPORT_TIMEOUT_MS = 10_000;

const given = fc.record({ sender, isDraft: fc.boolean(), times });
type Given = { sender: Role; isDraft: boolean; times: Times };

/** Returns the row of a new video, or an error status. */
function newRow(
  model: VisibilityModel,
  owner: Role,
  { isDraft, times }: Omit<Given, "sender">,
): Omit<Row, "file"> | Exclude<Outcome, "done"> {
  const { publishAt, unpublishAt } = times;
  if (owner === "uploader" && (!isDraft || publishAt !== null || unpublishAt !== null)) return 403;
  if (!isInOrder(times)) return 422;
  // A scheduled video is a draft until it is published, and so is a video without a required consent record.
  const isLater = publishAt !== null || model.settings.requireConsent;
  return { ...times, owner, status: isDraft || isLater ? "review" : "published" };
}

/** Uploads a video with the form on the upload page. */
const upload: Kind<Given> = {
  weight: 4,
  args: given,
  async run({ sender, ...given }, model, site) {
    makeRoom(model, site);
    const role = model.active(sender);
    const row = newRow(model, role, given);
    const fields = {
      ...{ ...TEXTS, title: WORD, tags: TAG, intent: given.isDraft ? "draft" : "publish" },
      publishAt: site.day(given.times.publishAt) ?? "",
      unpublishAt: site.day(given.times.unpublishAt) ?? "",
    };
    const { status, body } = await site.sendFile(role, "/admin/publish", fields, site.newVideo());
    expectSame(`${role} uploads (${body})`, status, typeof row === "number" ? row : 201);
    if (typeof row === "number") return;
    const { video } = JSON.parse(body) as { video: { id: string } };
    addUploaded(model, site, video.id, row);
  },
};

/** Creates a video with the HTTP API, which receives files over tus. */
const create: Kind<Given> = {
  weight: 4,
  args: given,
  async run({ sender, ...given }, model, site) {
    makeRoom(model, site);
    const role = model.active(sender);
    const row = newRow(model, role, given);
    const { publishAt, unpublishAt } = given.times;
    const { status, body } = await site.api(role, "POST", "/videos", {
      ...{ ...TEXTS, upload: await site.uploadByTus(role), title: WORD, tags: [TAG] },
      status: given.isDraft ? "draft" : "published",
      ...(publishAt !== null && { publishAt: site.day(publishAt) }),
      ...(unpublishAt !== null && { unpublishAt: site.day(unpublishAt) }),
    });
    expectSame(`${role} creates a video (${body})`, status, typeof row === "number" ? row : 201);
    if (typeof row === "number") return;
    addUploaded(model, site, (JSON.parse(body) as { id: string }).id, row);
  },
};

/** Imports a folder on the server from the studio. */
const importFolder: Kind<{ by: Role; isDraft: boolean }> = {
  weight: 3,
  args: fc.record({ by: moderator, isDraft: fc.boolean() }),
  async run({ by, isDraft }, model, site) {
    makeRoom(model, site);
    const role = model.active(by);
    const name = randomUUID();
    fs.mkdirSync(site.importFolder, { recursive: true });
    fs.writeFileSync(path.join(site.importFolder, `${name}.mp4`), site.newVideo());
    const fields = { intent: "folder", mode: "move", category: TEXTS.category };
    const status = isDraft ? "review" : "published";
    await submitForm(site, role, "/admin/import", { ...fields, status }, "done");
    const id = await imported(site, model);
    const row = newRow(model, role, { isDraft, times: { publishAt: null, unpublishAt: null } });
    if (typeof row !== "number") addUploaded(model, site, id, row);
  },
};

/** Waits until an import has ended, and returns the ID of its video. */
async function imported(site: VisibilitySite, model: VisibilityModel): Promise<string> {
  const known = JSON.stringify(model.videos.map(({ id }) => id));
  for (const until = Date.now() + IMPORT_TIMEOUT_MS; Date.now() < until; ) {
    const [row] = site.rows<{ id: string }>(
      `SELECT id FROM videos WHERE id NOT LIKE 'other-%'
         AND id NOT IN (SELECT value FROM json_each(?))`,
      known,
    );
    if (row && fs.readdirSync(site.importFolder).length === 0 && (await site.isImportOver()))
      return row.id;
    await new Promise((next) => setTimeout(next, 20));
  }
  throw new Error("Nothing was imported within 10 s");
}

/** Adds a new video to the model. Its row gets a title, a tag, views and a series like the other rows. */
function addUploaded(
  model: VisibilityModel,
  site: VisibilitySite,
  id: string,
  row: Omit<Row, "file">,
): void {
  const video = model.find(id);
  model.touched.add(video);
  site.write(
    `UPDATE videos SET title = '${WORD} ' || id, tags = '["${TAG}"]', views = 5 WHERE id = '${id}';
     ${site.joinSeriesSql(id)}`,
  );
  model.insert(video, { ...row, file: fileOf(video, site) });
}

function fileOf({ id }: ModelVideo, site: VisibilitySite): string {
  const [row] = site.rows<{ url: string }>("SELECT video_url AS url FROM videos WHERE id = ?", id);
  return row!.url.replace("/media/videos/", "");
}

/**
 * If the maximum number of videos is reached, deletes the oldest video, all reports about it, and all reports that
 * share a video with those reports. The site itself never deletes an open report, so it wouldn't add a hold for another
 * report that relied on the deleted report's hold.
 */
function makeRoom(model: VisibilityModel, site: VisibilitySite): void {
  const [oldest] = model.videos;
  if (!oldest || model.videos.length < MAX_VIDEOS) return;
  const reports = reportsAround(model, oldest.id);
  model.videos.shift();
  model.touched.delete(oldest);
  model.reports = model.reports.filter((report) => !reports.includes(report));
  for (const video of model.videos) {
    for (const { id } of reports) {
      video.holds.delete(`report/${id}`);
      video.holds.delete(`removed/${id}`);
    }
  }
  const ids = JSON.stringify(reports.map(({ id }) => id));
  const ofVideo = ["video_holds", "preview_links", "block_list_matches", "video_consents"];
  site.write(
    `BEGIN; DELETE FROM videos WHERE id = '${oldest.id}';
     DELETE FROM deleted_videos WHERE id = '${oldest.id}';
     ${ofVideo.map((table) => `DELETE FROM ${table} WHERE video_id = '${oldest.id}';`).join(" ")}
     DELETE FROM series_videos WHERE video_id = '${oldest.id}';
     DELETE FROM video_files WHERE video_id = '${oldest.id}';
     DELETE FROM video_holds WHERE reason IN ('report', 'removed')
       AND source_id IN (SELECT value FROM json_each('${ids}'));
     DELETE FROM reports WHERE id IN (SELECT value FROM json_each('${ids}')); COMMIT;`,
  );
}

/** Returns the reports about a video, all other reports about the videos in those reports, and so on. */
function reportsAround(model: VisibilityModel, videoId: string) {
  const videos = new Set([videoId]);
  const around = new Set<(typeof model.reports)[number]>();
  for (let before = -1; before < around.size; ) {
    before = around.size;
    for (const report of model.reports) {
      if ([...report.named.keys()].some((id) => videos.has(id))) around.add(report);
    }
    for (const { named } of around) for (const id of named.keys()) videos.add(id);
  }
  return [...around];
}

/** Replaces a video's file. */
const replace: Kind<{ sender: Role; which: number }> = {
  weight: 6,
  args: fc.record({ sender: fc.constantFrom<Role>("owner", ...ROLES), which: number }),
  async run({ sender, which }, model, site) {
    const video = pick(model, which);
    if (!video) return "skipped";
    const isCompared = video.holds.has("comparing/");
    // If the video is evidence, the new file can't be discarded, so it would stay pending.
    if (isCompared && model.isEvidence(video, true)) return "skipped";
    const role = model.active(sender);
    const fields = { intent: "replace", id: video.id };
    const path = "/admin.data?tab=manage";
    const { status, body } = await site.sendFile(role, path, fields, site.newVideo());
    const outcome = replaceOutcome(model, role, video);
    expectSame(
      `${role} replaces the file of ${video.id} (${body})`,
      status,
      outcome === "done" ? 202 : outcome,
    );
    if (outcome !== "done") return;
    if (isCompared) return discard(video, site);
    const file = fileOf(video, site);
    expectSame(`${video.id} has a new file`, file !== video.row!.file, true);
    video.replaced.push(video.row!.file);
    video.row!.file = file;
    replaceVideo(model, video);
  },
};

function replaceOutcome(model: VisibilityModel, role: Role, video: ModelVideo): Outcome {
  const changeableVideos = model.changeable(role, [video], false);
  if (typeof changeableVideos === "number") return changeableVideos;
  if (!video.row) return 404;
  if ([...video.holds].some((cause) => cause !== "comparing/")) return 409;
  const isPublished = video.row.status === "published";
  return isPublished && model.settings.requireConsent && model.lacksRecord(video) ? 422 : "done";
}

/**
 * Discards the new file for a video that is on hold for comparison. Otherwise, the file would stay pending until the
 * hold ends.
 */
async function discard({ id }: ModelVideo, site: VisibilitySite): Promise<void> {
  const pending = site.rows<{ file: string }>(
    "SELECT id AS file FROM video_files WHERE video_id = ? AND state = 'pending'",
    id,
  );
  expectSame(`pending files of ${id}`, pending.length, 1);
  const fields = { intent: "discard-file", id, file: pending[0]!.file };
  await submitForm(site, "owner", "/admin?tab=manage", fields, "done");
}

export const FILES = { upload, create, importFolder, replace };
