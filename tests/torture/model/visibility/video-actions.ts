import fc from "fast-check";
import { type Outcome, ROLES, type Role } from "../reference";
import { expectSame } from "../step";
import { number } from "../values";
import {
  idsOf,
  type Kind,
  MAX_VIDEOS,
  manage,
  pick,
  pickLive,
  pickSome,
  sender,
  status,
  submitForm,
  times,
  which,
} from "./common";
import { isInOrder, type ModelVideo, type Times, type VisibilityModel } from "./reference";
import type { VisibilitySite } from "./site";

/** Steps in which users and other processes publish, hide, schedule, delete and restore videos. */

const row = fc.record({ status, owner: fc.constantFrom<Role>(...ROLES), times });

/** Another process inserts a row, sometimes with the ID of an existing or deleted video. */
const insert: Kind<{
  which: number;
  row: { status: string; owner: Role; times: Times };
  onConflict: "REPLACE" | "IGNORE";
}> = {
  weight: 6,
  args: fc.record({ which: number, row, onConflict: fc.constantFrom("REPLACE", "IGNORE") }),
  async run({ which, row: { times, ...given }, onConflict }, model, site) {
    const isNew = model.videos.length < MAX_VIDEOS / 2;
    const video = isNew ? model.find(`v${model.insertedIds++}`) : pick(model, which)!;
    model.touched.add(video);
    const schedule = isInOrder(times) ? times : { publishAt: null, unpublishAt: null };
    const entered = { ...given, ...schedule, file: site.addVideoWithFile() };
    if (given.status === "published") entered.publishAt = null;
    site.write(site.insertSql(video.id, entered, onConflict));
    if (video.row && onConflict === "IGNORE") return;
    model.insert(video, entered);
  },
};

/** Another process changes the status of videos. */
const overwrite: Kind<{ which: number[]; status: string }> = {
  weight: 3,
  args: fc.record({ which, status }),
  async run({ which, status }, model, site) {
    const videos = pickSome(model, which);
    if (videos.length === 0) return "skipped";
    for (const video of videos) model.setStatus(video, status);
    const ids = idsOf(videos).map((id) => `'${id}'`);
    site.write(`UPDATE videos SET status = '${status}' WHERE id IN (${ids.join(", ")});`);
  },
};

/** Another process deletes a row without moving it to the trash. */
const erase: Kind<number> = {
  weight: 3,
  args: number,
  async run(which, model, site) {
    const video = pickLive(model, which);
    if (!video) return "skipped";
    video.row = undefined;
    site.write(`DELETE FROM videos WHERE id = '${video.id}';`);
  },
};

/** A user presses the visibility button on a current or an outdated page. */
const toggle: Kind<{ sender: Role; which: number; isOutdated: boolean }> = {
  weight: 5,
  args: fc.record({
    sender,
    which: number,
    isOutdated: fc.constantFrom(false, false, false, true),
  }),
  async run({ sender, which, isOutdated }, model, site) {
    const video = pick(model, which);
    if (!video) return "skipped";
    const role = model.active(sender);
    const now = video.row?.status ?? "hidden";
    const action = now === "published" ? "hide" : "publish";
    const expected = isOutdated ? (now === "published" ? "hidden" : "published") : now;
    const changeableVideos = model.changeable(role, [video], true);
    const outcome =
      isOutdated && typeof changeableVideos !== "number" && video.row ? 409 : undefined;
    await manage(
      site,
      role,
      { intent: "toggle", id: video.id, expectedStatus: expected },
      outcome ?? model.publishOrHide(role, video, action),
    );
  },
};

const schedule: Kind<{ sender: Role; which: number; times: Times }> = {
  weight: 5,
  args: fc.record({ sender, which: number, times }),
  async run({ sender, which, times }, model, site) {
    const video = pick(model, which);
    if (!video) return "skipped";
    const role = model.active(sender);
    const outcome = model.schedule(role, video, times);
    await manage(
      site,
      role,
      {
        ...{ intent: "schedule", id: video.id, publishAt: site.day(times.publishAt) ?? "" },
        unpublishAt: site.day(times.unpublishAt) ?? "",
      },
      outcome,
    );
  },
};

/** Publishes, hides, schedules or deletes a video through the HTTP API. */
const api: Kind<{
  sender: Role;
  which: number;
  call: "publish" | "hide" | "schedule" | "delete";
  times: Times;
}> = {
  weight: 5,
  args: fc.record({
    sender,
    which: number,
    call: fc.constantFrom("publish", "publish", "hide", "schedule", "delete"),
    times,
  }),
  async run({ sender, which, call, times }, model, site) {
    const video = pick(model, which);
    if (!video) return "skipped";
    const role = model.active(sender);
    const path = `/videos/${video.id}`;
    if (call === "delete") {
      const outcome = model.delete(role, [video], "");
      const { status } = await site.api(role, "DELETE", path);
      expectSame(`${role}: DELETE ${path}`, status, statusOf(outcome, 204));
      readBatches(model, site);
      return;
    }
    const outcome =
      call === "schedule"
        ? model.schedule(role, video, times)
        : model.publishOrHide(role, video, call);
    const body = {
      publishAt: site.day(times.publishAt),
      unpublishAt: site.day(times.unpublishAt),
    };
    const { status, body: text } =
      call === "schedule"
        ? await site.api(role, "PUT", `${path}/schedule`, body)
        : await site.api(role, "POST", `${path}/${call}`);
    expectSame(`${role}: ${call} ${path} (${text})`, status, statusOf(outcome, 200));
    if (outcome !== "done") return;
    const { onHold } = JSON.parse(text) as { onHold: boolean };
    expectSame(`${video.id} on hold`, onHold, video.holds.size > 0);
  },
};

const statusOf = (outcome: Outcome, done: number) => (outcome === "done" ? done : outcome);

const bulk: Kind<{
  sender: Role;
  which: number[];
  change: "publish" | "hide" | "schedule" | "unschedule" | "delete";
  times: Times;
}> = {
  weight: 6,
  args: fc.record({
    sender,
    which,
    change: fc.constantFrom("publish", "publish", "hide", "schedule", "unschedule", "delete"),
    times,
  }),
  async run({ sender, which, change, times }, model, site) {
    const videos = pickSome(model, which);
    if (videos.length === 0) return "skipped";
    const role = model.active(sender);
    const fields = {
      ...{ intent: "bulk", selected: idsOf(videos), do: change, confirmed: "on" },
      ...(change === "schedule" && {
        publishAt: site.day(times.publishAt) ?? "",
        unpublishAt: site.day(times.unpublishAt) ?? "",
      }),
    };
    await manage(site, role, fields, bulkOutcome(model, role, videos, change, times));
    if (change === "delete") readBatches(model, site);
  },
};

function bulkOutcome(
  model: VisibilityModel,
  role: Role,
  videos: readonly ModelVideo[],
  change: string,
  times: Times,
): Outcome {
  if (change === "delete") return model.delete(role, videos, "");
  if (role === "uploader") return 403;
  const isEmpty = times.publishAt === null && times.unpublishAt === null;
  if (change === "schedule" && (isEmpty || !isInOrder(times))) return 422;
  const changeableVideos = model.changeable(role, videos, true);
  if (typeof changeableVideos === "number") return changeableVideos;
  if (changeableVideos.length === 0) return 404;
  let refused = 0;
  for (const video of changeableVideos) {
    const row = video.row!;
    if (change === "unschedule") Object.assign(row, { publishAt: null, unpublishAt: null });
    else if (change === "schedule") {
      const after = {
        publishAt: row.status === "published" ? row.publishAt : (times.publishAt ?? row.publishAt),
        unpublishAt: times.unpublishAt ?? row.unpublishAt,
      };
      if (row.status === "published" || isInOrder(after)) Object.assign(row, after);
      else refused += 1;
    } else if (change === "publish" && row.status !== "published" && model.isUnpublishable(video)) {
      refused += 1;
    } else model.applyAction(video, change as "publish" | "hide");
  }
  return refused === changeableVideos.length ? 422 : "done";
}

/** Simulates the arrival of a given day: another process moves all scheduled times up to that day into the past. */
const advanceTime: Kind<number> = {
  weight: 4,
  args: fc.integer({ min: 1, max: 8 }),
  async run(day, model, site) {
    for (const video of model.videos) {
      const times = [video.row?.publishAt, video.row?.unpublishAt];
      if (times.some((at) => at && at <= day)) model.touched.add(video);
    }
    model.advanceTo(day);
    const until = site.day(day);
    const earlier = (value: string) =>
      `CASE WHEN ${value} <= '${until}' THEN strftime('%Y-%m-%dT%H:%M:%fZ', ${value}, '-400 days') ELSE ${value} END`;
    const names = ["publish_at", "unpublish_at"];
    const inTrash = names.map((name) => `'$.${name}', ${earlier(`row ->> '${name}'`)}`);
    site.write(
      `BEGIN;
       UPDATE videos SET ${names.map((name) => `${name} = ${earlier(name)}`).join(", ")}
         WHERE publish_at <= '${until}' OR unpublish_at <= '${until}';
       UPDATE deleted_videos SET row = json_set(row, ${inTrash.join(", ")})
         WHERE row ->> 'publish_at' <= '${until}' OR row ->> 'unpublish_at' <= '${until}';
       COMMIT;`,
    );
    await waitUntilNothingIsDue(site);
  },
};

/** Waits until the site has published and hidden the videos that are due. */
export async function waitUntilNothingIsDue(site: VisibilitySite): Promise<void> {
  const now = new Date().toISOString();
  for (let attempts = 0; attempts < 500; attempts++) {
    const due = site.rows("SELECT 1 FROM videos WHERE publish_at <= @now OR unpublish_at <= @now", {
      now,
    });
    if (due.length === 0) return;
    await new Promise((next) => setTimeout(next, 20));
  }
  throw new Error("Videos that are due weren't published or hidden within 10 s");
}

const remove: Kind<{ sender: Role; which: number }> = {
  weight: 3,
  args: fc.record({ sender, which: number }),
  async run({ sender, which }, model, site) {
    const video = pick(model, which);
    if (!video) return "skipped";
    const role = model.active(sender);
    const outcome = model.delete(role, [video], "");
    await manage(site, role, { intent: "delete", id: video.id }, outcome);
    readBatches(model, site);
  },
};

/** Reads the batch IDs of recent deletions, which are needed to undo them. */
export function readBatches(model: VisibilityModel, site: VisibilitySite): void {
  const rows = site.rows<{ id: string; batch: string }>(
    "SELECT id, deleted_at AS batch FROM deleted_videos",
  );
  for (const { id, batch } of rows) {
    const { trash } = model.find(id);
    if (trash?.batch === "") trash.batch = batch;
  }
}

/** Undoes a deletion with the button in its toast. */
const undo: Kind<{ sender: Role; which: number }> = {
  weight: 6,
  args: fc.record({ sender, which: number }),
  async run({ sender, which }, model, site) {
    const deleted = model.videos.filter(({ trash }) => trash);
    const batch = deleted[which % Math.max(1, deleted.length)]?.trash?.batch;
    if (batch === undefined) return "skipped";
    const role = model.active(sender);
    const videos = model.trashOf(role).filter(({ trash }) => trash!.batch === batch);
    for (const video of videos) model.touched.add(video);
    await manage(site, role, { intent: "restore", batch }, model.restore(videos));
    await waitUntilNothingIsDue(site);
  },
};

const restore: Kind<{ sender: Role; which: number[] }> = {
  weight: 5,
  args: fc.record({ sender, which }),
  async run({ sender, which }, model, site) {
    const role = model.active(sender);
    const deleted = model.videos.filter(({ trash }) => trash);
    if (deleted.length === 0) return "skipped";
    const videos = [...new Set(which.map((each) => deleted[each % deleted.length]!))];
    for (const video of videos) model.touched.add(video);
    const found = videos.filter((video) => model.trashOf(role).includes(video));
    const fields = { intent: "restore", selected: idsOf(videos) };
    await submitForm(site, role, "/admin/trash", fields, model.restore(found));
    await waitUntilNothingIsDue(site);
  },
};

const purge: Kind<{ sender: Role; which: number[] }> = {
  weight: 4,
  args: fc.record({ sender, which }),
  async run({ sender, which }, model, site) {
    const role = model.active(sender);
    const deleted = model.trashOf(role);
    if (deleted.length === 0) return "skipped";
    const videos = [...new Set(which.map((each) => deleted[each % deleted.length]!))];
    for (const video of videos) model.touched.add(video);
    const fields = { intent: "purge", selected: idsOf(videos), confirmed: "on" };
    await submitForm(site, role, "/admin/trash", fields, model.purge(role, videos));
  },
};

export const VIDEO_ACTIONS = {
  ...{ insert, overwrite, erase, toggle, schedule, api, bulk, advanceTime },
  ...{ delete: remove, undo, restore, purge },
};
