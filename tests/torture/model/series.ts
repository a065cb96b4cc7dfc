import fc from "fast-check";
import type { Role } from "./reference";
import { sent } from "./running-site";
import { nth, type StepKind } from "./step";
import { number, role } from "./values";

/** What people of every role do to series. */

const makeSeries: StepKind<Role> = {
  weight: 0.5,
  args: role,
  async run(sender, model, site) {
    const title = `Series ${model.series.length}`;
    const allowed = sender === "owner" || sender === "editor";
    const fields = { intent: "create", title };
    const location = await sent(site, sender, "/admin/series", fields, allowed ? "done" : 403);
    if (!allowed) return;
    const id = /\/admin\/series\/(\d+)/.exec(location ?? "")?.[1] ?? "";
    const slug = title.toLowerCase().replace(" ", "-");
    model.series.push({ id, title, slug, isPublic: false, isDeleted: false, videos: [] });
  },
};

const changeSeries: StepKind<{
  sender: Role;
  which: number;
  how: "public" | "studio" | "delete" | "restore";
}> = {
  weight: 1.5,
  args: fc.record({
    sender: role,
    which: number,
    how: fc.constantFrom("public", "public", "studio", "delete", "restore"),
  }),
  async run({ sender, which, how }, model, site) {
    const series = nth(model.series, which);
    if (!series) return;
    const allowed = sender === "owner" || sender === "editor";
    const page = `/admin/series/${series.id}`;
    if (how === "restore") {
      const outcome = !allowed ? 403 : series.isDeleted ? "done" : 404;
      await sent(site, sender, "/admin/series", { intent: "restore", series: series.id }, outcome);
      if (outcome === "done") series.isDeleted = false;
      return;
    }
    const outcome = !allowed ? 403 : series.isDeleted ? 404 : "done";
    if (how === "delete") {
      await sent(site, sender, page, { intent: "delete" }, outcome);
      if (outcome === "done") series.isDeleted = true;
      return;
    }
    const { main } = await site.read(page, "owner");
    const version = /name="version" value="([^"]*)"/.exec(main)?.[1] ?? "";
    const { title, slug } = series;
    const fields = { intent: "update", title, slug, description: "", visibility: how, version };
    await sent(site, sender, page, fields, outcome);
    if (outcome === "done") series.isPublic = how === "public";
  },
};

const moveInSeries: StepKind<{ sender: Role; series: number; which: number; to: number }> = {
  weight: 1.5,
  args: fc.record({
    sender: role,
    series: number,
    which: number,
    to: fc.integer({ min: 1, max: 9 }),
  }),
  async run({ sender, series: named, which, to }, model, site) {
    const series = nth(
      model.series.filter(({ isDeleted }) => !isDeleted),
      named,
    );
    const video = series && nth(model.orderOf(series), which);
    if (!video) return;
    const page = `/admin/series/${series.id}`;
    const { main } = await site.read(page, "owner");
    const version = /name="version" value="(\d+)"/.exec(main)?.[1] ?? "";
    const allowed = sender === "owner" || sender === "editor";
    const outcome = allowed ? model.moveInSeries(series, video, to) : 403;
    await sent(site, sender, page, { intent: "move", video, to: String(to), version }, outcome);
  },
};

export const SERIES = { makeSeries, changeSeries, moveInSeries };
