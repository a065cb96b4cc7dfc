import fc from "fast-check";
import { type Outcome, ROLES, type Role } from "../reference";
import { expectSame } from "../step";
import { number } from "../values";
import {
  form,
  idsOf,
  type Kind,
  MAX_VIDEOS,
  manage,
  pick,
  pickLive,
  pickSome,
  sender,
  status,
  times,
  which,
} from "./common";
import { isInOrder, type ModelVideo, type Times, type VisibilityModel } from "./reference";
import type { VisibilitySite } from "./site";

/** What people and other programs intend with videos: publish, hide, schedule, delete and restore. */

const row = fc.record({ status, owner: fc.constantFrom<Role>(...ROLES), times });

/** Another program enters rows, also with the id of a video that is or was there. */
const enter: Kind<{
  which: number;
  row: { status: string; owner: Role; times: Times };
  taken: "REPLACE" | "IGNORE";
}> = {
  weight: 6,
  args: fc.record({ which: number, row, taken: fc.constantFrom("REPLACE", "IGNORE") }),
  async run({ which, row: { times, ...given }, taken }, model, site) {
    const isNew = model.videos.length < MAX_VIDEOS / 2;
    const video = isNew ? model.find(`v${model.entered++}`) : pick(model, which)!;
    model.touched.add(video);
    const schedule = isInOrder(times) ? times : { publishAt: null, unpublishAt: null };
    const entered = { ...given, ...schedule, file: site.addVideoWithFile() };
    if (given.status === "published") entered.publishAt = null;
    site.write(site.insertSql(video.id, entered, taken));
    if (video.row && taken === "IGNORE") return;
    model.insert(video, entered);
  },
};

/** Another program writes a status. */
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

/** Another program deletes a row, without the trash. */
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

/** The button, on the page of today or on an outdated one. */
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
    const order = now === "published" ? "hide" : "publish";
    const expected = isOutdated ? (now === "published" ? "hidden" : "published") : now;
    const reached = model.reach(role, [video], true);
    const outcome = isOutdated && typeof reached !== "number" && video.row ? 409 : undefined;
    await manage(
      site,
      role,
      { intent: "toggle", id: video.id, expectedStatus: expected },
      outcome ?? model.publishOrHide(role, video, order),
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

/** Publishing, hiding and scheduling by the HTTP API. */
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
      noteBatches(model, site);
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
    const { status, body: answer } =
      call === "schedule"
        ? await site.api(role, "PUT", `${path}/schedule`, body)
        : await site.api(role, "POST", `${path}/${call}`);
    expectSame(`${role}: ${call} ${path} (${answer})`, status, statusOf(outcome, 200));
    if (outcome !== "done") return;
    const { onHold } = JSON.parse(answer) as { onHold: boolean };
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
    if (change === "delete") noteBatches(model, site);
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
  const reached = model.reach(role, videos, true);
  if (typeof reached === "number") return reached;
  if (reached.length === 0) return 404;
  let refused = 0;
  for (const video of reached) {
    const row = video.row!;
    if (change === "unschedule") Object.assign(row, { publishAt: null, unpublishAt: null });
    else if (change === "schedule") {
      const after = {
        publishAt: row.status === "published" ? row.publishAt : (times.publishAt ?? row.publishAt),
        unpublishAt: times.unpublishAt ?? row.unpublishAt,
      };
      if (row.status === "published" || isInOrder(after)) Object.assign(row, after);
      else refused += 1;
    } else if (change === "publish" && row.status !== "published" && model.isRefused(video)) {
      refused += 1;
    } else model.order(video, change as "publish" | "hide");
  }
  return refused === reached.length ? 422 : "done";
}

/** What is due until a day happens by the clock: another program moves these times into the past. */
const timePasses: Kind<number> = {
  weight: 4,
  args: fc.integer({ min: 1, max: 8 }),
  async run(day, model, site) {
    for (const video of model.videos) {
      const times = [video.row?.publishAt, video.row?.unpublishAt];
      if (times.some((at) => at && at <= day)) model.touched.add(video);
    }
    model.timePasses(day);
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
    await nothingIsDue(site);
  },
};

/** Waits until the site has done what was due. */
export async function nothingIsDue(site: VisibilitySite): Promise<void> {
  const now = new Date().toISOString();
  for (let tries = 0; tries < 500; tries++) {
    const due = site.rows("SELECT 1 FROM videos WHERE publish_at <= @now OR unpublish_at <= @now", {
      now,
    });
    if (due.length === 0) return;
    await new Promise((next) => setTimeout(next, 20));
  }
  throw new Error("What was due was not done within 10 s.");
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
    noteBatches(model, site);
  },
};

/** What names the deletions since, for whoever undoes one. */
export function noteBatches(model: VisibilityModel, site: VisibilitySite): void {
  const rows = site.rows<{ id: string; batch: string }>(
    "SELECT id, deleted_at AS batch FROM deleted_videos",
  );
  for (const { id, batch } of rows) {
    const { trash } = model.find(id);
    if (trash?.batch === "") trash.batch = batch;
  }
}

/** Undo, in the toast of a deletion. */
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
    await nothingIsDue(site);
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
    await form(site, role, "/admin/trash", fields, model.restore(found));
    await nothingIsDue(site);
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
    await form(site, role, "/admin/trash", fields, model.purge(role, videos));
  },
};

export const INTENTIONS = {
  ...{ enter, overwrite, erase, toggle, schedule, api, bulk, timePasses },
  ...{ delete: remove, undo, restore, purge },
};
