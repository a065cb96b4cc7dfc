import fc from "fast-check";
import type { Role } from "./reference";
import { submitForm } from "./running-site";
import { nth, type StepKind } from "./step";
import { number, role } from "./values";

/** Steps in which users of every role change series. */

const createSeries: StepKind<Role> = {
  weight: 0.5,
  args: role,
  async run(sender, model, site) {
    const title = `Series ${model.series.length}`;
    const isAllowed = sender === "owner" || sender === "editor";
    const fields = { intent: "create", title };
    const location = await submitForm(
      site,
      sender,
      "/admin/series",
      fields,
      isAllowed ? "done" : 403,
    );
    if (!isAllowed) return;
    const id = /\/admin\/series\/(\d+)/.exec(location ?? "")?.[1] ?? "";
    const slug = title.toLowerCase().replace(" ", "-");
    model.series.push({ id, title, slug, isPublic: false, isDeleted: false, videos: [] });
  },
};

const changeSeries: StepKind<{
  sender: Role;
  which: number;
  change: "public" | "studio" | "delete" | "restore";
}> = {
  weight: 1.5,
  args: fc.record({
    sender: role,
    which: number,
    change: fc.constantFrom("public", "public", "studio", "delete", "restore"),
  }),
  async run({ sender, which, change }, model, site) {
    const series = nth(model.series, which);
    if (!series) return;
    const isAllowed = sender === "owner" || sender === "editor";
    const page = `/admin/series/${series.id}`;
    if (change === "restore") {
      const outcome = !isAllowed ? 403 : series.isDeleted ? "done" : 404;
      await submitForm(
        site,
        sender,
        "/admin/series",
        { intent: "restore", series: series.id },
        outcome,
      );
      if (outcome === "done") series.isDeleted = false;
      return;
    }
    const outcome = !isAllowed ? 403 : series.isDeleted ? 404 : "done";
    if (change === "delete") {
      await submitForm(site, sender, page, { intent: "delete" }, outcome);
      if (outcome === "done") series.isDeleted = true;
      return;
    }
    const { main } = await site.read(page, "owner");
    const version = /name="version" value="([^"]*)"/.exec(main)?.[1] ?? "";
    const { title, slug } = series;
    const fields = { intent: "update", title, slug, description: "", visibility: change, version };
    await submitForm(site, sender, page, fields, outcome);
    if (outcome === "done") series.isPublic = change === "public";
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
    const isAllowed = sender === "owner" || sender === "editor";
    const outcome = isAllowed ? model.moveInSeries(series, video, to) : 403;
    await submitForm(
      site,
      sender,
      page,
      { intent: "move", video, to: String(to), version },
      outcome,
    );
  },
};

export const SERIES = { createSeries, changeSeries, moveInSeries };
