import fc from "fast-check";
import type { Role } from "../reference";
import { expectSame, nth } from "../step";
import { number } from "../values";
import { type Kind, moderator, pick, pickLive, sender, submitForm } from "./common";
import { type ModelVideo, PERFORMERS, type Performer, type VisibilityModel } from "./reference";
import type { VisibilitySite } from "./site";

/** Steps that add and remove holds, other than those for reports. */

const YESTERDAY = new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10);
const RECORDED_ON = "2015-06-01";
const BIRTH_DATES = { adult: "1990-01-01", minor: "2000-01-01" };

const performer = fc.constantFrom<Performer>(...PERFORMERS);

/** Creates or updates a performer's record. An update affects the holds on all videos with that performer. */
const savePerformer: Kind<{ by: Role; who: Performer; isAdult: boolean; isChecked: boolean }> = {
  weight: 4,
  args: fc.record({
    by: moderator,
    who: performer,
    isAdult: fc.constantFrom(true, true, false),
    isChecked: fc.constantFrom(true, true, false),
  }),
  async run({ by, who, isAdult, isChecked }, model, site) {
    const [existing] = site.rows<{ id: string; shown: string }>(
      "SELECT id, updated_at AS shown FROM performers WHERE stage_names = ?",
      who,
    );
    const fields = {
      ...{ intent: "save", stageNames: who, legalName: `${who} Doe` },
      ...{ dateOfBirth: isAdult ? BIRTH_DATES.adult : BIRTH_DATES.minor, documentKind: "passport" },
      ...{ checkedOn: isChecked ? "2020-01-01" : "", shown: existing?.shown ?? "" },
    };
    if (!isChecked) fields.documentKind = "";
    const page = `/admin/consent/${existing?.id ?? "new"}`;
    const location = await submitForm(site, model.active(by), page, fields, "done");
    if (!existing) {
      const id = location.split("/").at(-1);
      // Only the existence of a document matters.
      site.write(
        `INSERT INTO performer_documents (id, performer_id, kind, type, bytes, file_key, added_at)
         VALUES ('document-${id}', '${id}', 'identity', 'image/png', 1, '', '2020-01-01T00:00:00.000Z');`,
      );
    }
    model.performers.set(who, { isAdult, isChecked });
    for (const video of model.naming(who)) {
      model.touched.add(video);
      model.updateConsentHolds(video);
    }
  },
};

const deletePerformer: Kind<Performer> = {
  weight: 5,
  args: performer,
  async run(who, model, site) {
    const [existing] = site.rows<{ id: string }>(
      "SELECT id FROM performers WHERE stage_names = ?",
      who,
    );
    if (!existing) return "skipped";
    for (const video of model.naming(who)) model.touched.add(video);
    const fields = { intent: "forget", sure: "on" };
    await submitForm(site, "owner", `/admin/consent/${existing.id}`, fields, "done");
    model.deletePerformer(who);
  },
};

/** Saves a video's consent record, which is valid, incomplete or expired, or lists a performer who was a minor. */
const saveRecord: Kind<{
  by: Role;
  which: number;
  unnamed: number;
  named: Performer[];
  hasEnded: boolean;
  isOutdated: boolean;
}> = {
  weight: 5,
  args: fc.record({
    by: moderator,
    which: number,
    unnamed: fc.constantFrom(0, 0, 0, 1),
    named: fc.subarray<Performer>([...PERFORMERS], { maxLength: 2 }),
    hasEnded: fc.constantFrom(false, false, false, true),
    isOutdated: fc.constantFrom(false, false, false, false, true),
  }),
  async run({ by, which, unnamed, named, hasEnded, isOutdated }, model, site) {
    const video = pick(model, which);
    if (!video) return "skipped";
    const known = named.filter((name) => model.performers.has(name));
    const [record] = site.rows<{ shown: string }>(
      "SELECT updated_at AS shown FROM video_consents WHERE video_id = ?",
      video.id,
    );
    const fields = {
      ...{ kind: "own", people: String(known.length + unnamed), performers: known.join("\n") },
      ...{ recordedOn: RECORDED_ON, endsOn: hasEnded ? YESTERDAY : "" },
      shown: isOutdated ? "2001-01-01T00:00:00.000Z" : (record?.shown ?? ""),
    };
    const outcome = !video.row ? 404 : isOutdated ? 409 : "done";
    await submitForm(site, model.active(by), `/admin/videos/${video.id}/consent`, fields, outcome);
    if (outcome !== "done") return;
    video.record = { people: known.length + unnamed, hasEnded, named: new Set(known) };
    model.updateConsentHolds(video);
  },
};

/** An owner puts public videos without a valid record on hold. */
const hideWithoutRecord: Kind<boolean> = {
  weight: 3,
  args: fc.constantFrom(true, true, true, false),
  async run(isConfirmed, model, site) {
    const lacking = model.videos.filter((video) => video.isPublic && model.lacksRecord(video));
    const before = sourcesOf(site);
    const fields = { intent: "hide-lacking", ...(isConfirmed && { sure: "on" }) };
    await submitForm(site, "owner", "/admin/consent", fields, isConfirmed ? "done" : 422);
    if (!isConfirmed) return;
    const added = sourcesOf(site).filter((source) => !before.includes(source));
    expectSame("batches of videos without a record", added.length, lacking.length > 0 ? 1 : 0);
    for (const video of lacking) {
      model.touched.add(video);
      video.holds.add(`consent/${added[0]}`);
    }
  },
};

function sourcesOf(site: VisibilitySite): string[] {
  return site
    .rows<{ source: string }>(
      "SELECT DISTINCT source_id AS source FROM video_holds WHERE source_id LIKE 'hidden:%'",
    )
    .map(({ source }) => source);
}

const undoHide: Kind<number> = {
  weight: 5,
  args: number,
  async run(which, model, site) {
    const isRequired = model.settings.requireConsent;
    const all = site
      .rows<{ source: string }>(
        "SELECT DISTINCT source_id AS source FROM video_holds WHERE reason = 'consent' ORDER BY 1",
      )
      .map(({ source }) => source);
    const source = nth(all, which);
    if (!source) return "skipped";
    const canBeUndone = source.startsWith("hidden:") || (source === "required" && !isRequired);
    const fields = { intent: "undo-hiding", source, sure: "on" };
    await submitForm(site, "owner", "/admin/consent", fields, canBeUndone ? "done" : 404);
    if (!canBeUndone) return;
    for (const video of model.videos) {
      if (video.holds.delete(`consent/${source}`)) model.touched.add(video);
    }
  },
};

const uploader = fc.constantFrom<Role>("publisher", "uploader", "editor");

/** An owner blocks an account, and optionally hides its videos. */
const block: Kind<{ who: Role; hides: boolean }> = {
  weight: 3,
  args: fc.record({ who: uploader, hides: fc.constantFrom(true, true, false) }),
  async run({ who, hides }, model, site) {
    if (model.blocked.has(who) && !hides) return "skipped";
    const fields = { intent: "block", id: site.idOf(who), hide: hides ? "1" : "" };
    await submitForm(site, "owner", "/admin/users", fields, "done");
    model.blocked.add(who);
    for (const video of hides ? videosOf(model, who) : []) {
      model.touched.add(video);
      video.holds.add(`user-blocked/${site.idOf(who)}`);
    }
    const { status } = await site.send(who, "/admin.data?tab=manage", {
      intent: "toggle",
      id: "x",
    });
    expectSame(`a form of the blocked ${who}`, status, 400);
    expectSame(
      `an API call of the blocked ${who}`,
      (await site.api(who, "GET", "/videos")).status,
      401,
    );
  },
};

const reactivate: Kind<Role> = {
  weight: 8,
  args: uploader,
  async run(who, model, site) {
    if (!model.blocked.has(who)) return "skipped";
    const fields = { intent: "reactivate", id: site.idOf(who) };
    await submitForm(site, "owner", "/admin/users", fields, "done");
    model.blocked.delete(who);
    for (const video of model.videos) {
      if (video.holds.delete(`user-blocked/${site.idOf(who)}`)) model.touched.add(video);
    }
    await site.signIn(who);
    site.writeToken(who);
  },
};

/** Returns all videos that a user has uploaded, including deleted ones. */
const videosOf = (model: VisibilityModel, who: Role) =>
  model.videos.filter(({ row, trash }) => row?.owner === who || trash?.owner === who);

/** A job finds that a video is similar to a blocked video. */
const addMatch: Kind<number> = {
  weight: 4,
  args: number,
  async run(which, model, site) {
    const video = pickLive(model, which);
    if (!video) return "skipped";
    const [blockedVideo] = site.rows<{ id: number }>(
      `INSERT INTO blocked_videos (reason, blocked_at, state)
       VALUES ('other', '2020-01-01T00:00:00.000Z', 'none') RETURNING id`,
    );
    const id = String(blockedVideo!.id);
    site.write(
      `BEGIN; INSERT INTO block_list_matches (video_id, blocked_video_id, found_at)
         VALUES ('${video.id}', ${id}, '2020-01-01T00:00:00.000Z');
       INSERT INTO video_holds (video_id, reason, source_id, since)
         VALUES ('${video.id}', 'block-list', '${id}', '2020-01-01T00:00:00.000Z'); COMMIT;`,
    );
    video.sources.add(id);
    video.holds.add(`block-list/${id}`);
  },
};

/** A moderator dismisses one or all of a video's matches with blocked videos. */
const dismissMatches: Kind<{ by: Role; which: number; hasAll: boolean }> = {
  weight: 5,
  args: fc.record({ by: moderator, which: number, hasAll: fc.boolean() }),
  async run({ by, which, hasAll }, model, site) {
    const video = pickMatching(model, which, (each) => blockedVideosOf(each).length > 0);
    if (!video) return "skipped";
    const sources = blockedVideosOf(video).slice(0, hasAll ? undefined : 1);
    const outcome = video.row && sources.length > 0 ? "done" : 404;
    const fields = { intent: "other-video", sources: sources.join(",") };
    await submitForm(site, model.active(by), `/admin/review/${video.id}`, fields, outcome);
    if (outcome !== "done") return;
    for (const blockedVideo of sources) {
      video.sources.delete(blockedVideo);
      video.holds.delete(`block-list/${blockedVideo}`);
    }
    video.holds.delete("comparing/");
  },
};

/** Returns a video that meets a condition, or any video if no video meets it. */
function pickMatching(
  model: VisibilityModel,
  which: number,
  isWanted: (video: ModelVideo) => boolean,
): ModelVideo | undefined {
  const video = nth(model.videos.filter(isWanted), which) ?? nth(model.videos, which);
  if (video) model.touched.add(video);
  return video;
}

const blockedVideosOf = (video: ModelVideo) => [
  ...new Set([...video.sources, ...video.holdsFor("block-list").map((cause) => cause.slice(11))]),
];

/** A video is put on hold because comparing it with blocked videos takes too long. */
const holdUncompared: Kind<number> = {
  weight: 4,
  args: number,
  async run(which, model, site) {
    const video = pickLive(model, which);
    if (!video) return "skipped";
    site.write(
      `BEGIN; DELETE FROM jobs WHERE video_id = '${video.id}' AND kind = 'fingerprint';
       INSERT OR IGNORE INTO video_holds (video_id, reason, since)
         VALUES ('${video.id}', 'comparing', '2020-01-01T00:00:00.000Z'); COMMIT;`,
    );
    video.holds.add("comparing/");
  },
};

/** A moderator watches a video that couldn't be compared, and releases it. */
const releaseUncompared: Kind<{ by: Role; which: number }> = {
  weight: 4,
  args: fc.record({ by: moderator, which: number }),
  async run({ by, which }, model, site) {
    const video = pickMatching(model, which, ({ holds }) => holds.has("comparing/"));
    if (!video) return "skipped";
    const outcome = !video.row ? 404 : video.holds.has("comparing/") ? "done" : 409;
    const fields = { intent: "release-uncompared" };
    await submitForm(site, model.active(by), `/admin/review/${video.id}`, fields, outcome);
    if (outcome === "done") video.holds.delete("comparing/");
  },
};

/** Creates or revokes a preview link, which shows a video to anyone. */
const previewLink: Kind<{ sender: Role; which: number; revokes: boolean }> = {
  weight: 4,
  args: fc.record({ sender, which: number, revokes: fc.constantFrom(false, false, true) }),
  async run({ sender, which, revokes }, model, site) {
    const role = model.active(sender);
    const video = pick(model, which);
    if (!video) return "skipped";
    const { row, links } = video;
    const page = `/admin/review/${video.id}`;
    const isOwn = role === "owner" || role === "editor" || row?.owner === role;
    const link = links.at(-1);
    if (revokes) {
      if (!link) return "skipped";
      const [{ hash } = { hash: "" }] = site.rows<{ hash: string }>(
        "SELECT token_hash AS hash FROM preview_links WHERE video_id = ? ORDER BY created_at DESC",
        video.id,
      );
      const outcome = row && isOwn ? "done" : 404;
      await submitForm(site, role, page, { intent: "revoke", link: hash }, outcome);
      if (outcome === "done") links.pop();
      return;
    }
    const isHidden = row?.status === "hidden" && row.publishAt === null;
    const changeableVideos = model.changeable(role, [video], false);
    const address = `${page}.data`;
    const { status, body } = await site.send(role, address, { intent: "link" });
    const expectedStatus =
      typeof changeableVideos === "number" ? changeableVideos : isHidden ? 409 : 200;
    expectSame(`${role} requests a link on ${page}`, status, row && isOwn ? expectedStatus : 404);
    const token = /\/preview\/([\w-]+)/.exec(body)?.[1];
    if (status === 200 && token) links.push({ token, maker: role });
  },
};

export const HOLDS = {
  ...{ savePerformer, deletePerformer, saveRecord, hideWithoutRecord, undoHide, block, reactivate },
  ...{ addMatch, dismissMatches, holdUncompared, releaseUncompared, previewLink },
};
