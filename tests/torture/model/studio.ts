import fc from "fast-check";
import type { BulkChange, Role } from "./reference";
import { type Fields, submitForm } from "./running-site";
import { nth, type StepKind, type Value } from "./step";
import { category, chosen, number, numbers, role, TAGS, tags, title } from "./values";

/** Steps in which users of every role change videos in the studio. */

const edit: StepKind<{
  sender: Role;
  which: number;
  title: string;
  tags: string[];
  category: string;
}> = {
  weight: 4,
  args: fc.record({ sender: role, which: number, title, tags, category }),
  async run({ sender, which, ...typed }, model, site) {
    const id = nth(model.ids, which) ?? "none";
    const outcome = model.edit(sender, id, {
      ...typed,
      tags: typed.tags.length > 0 ? typed.tags : null,
    });
    const fields = { ...typed, tags: typed.tags.join(", "), description: "" };
    await submitForm(
      site,
      sender,
      "/admin?tab=manage",
      { intent: "update", id, ...fields },
      outcome,
    );
  },
};

const toggle: StepKind<{ sender: Role; which: number; expectedStatus: string }> = {
  weight: 5,
  args: fc.record({
    sender: role,
    which: number,
    expectedStatus: fc.constantFrom("published", "hidden", "review"),
  }),
  async run({ sender, which, expectedStatus }, model, site) {
    const id = nth(model.ids, which) ?? "none";
    const outcome = model.toggle(sender, id, expectedStatus);
    await submitForm(
      site,
      sender,
      "/admin?tab=manage",
      { intent: "toggle", id, expectedStatus },
      outcome,
    );
  },
};

/** The site publishes a scheduled video when it is due. */
const schedule: StepKind<{ which: number; afterMs: number }> = {
  weight: 0.1,
  args: fc.record({ which: number, afterMs: fc.integer({ min: 300, max: 900 }) }),
  async run({ which, afterMs }, model, site) {
    const video = nth(
      model.videos.filter(({ status }) => status !== "published"),
      which,
    );
    if (!video) return;
    const publishAt = new Date(Date.now() + afterMs).toISOString();
    const fields = { intent: "schedule", id: video.id, publishAt, unpublishAt: "" };
    await submitForm(site, "owner", "/admin?tab=manage", fields, "done");
    for (let attempts = 0; attempts < 200; attempts++) {
      const { status } = await site.read(`/video/${video.id}`);
      if (status === 200) {
        if (Date.now() < Date.parse(publishAt))
          throw new Error(`${video.id} is public before its time`);
        // Lists are sorted by `created_at`.
        Object.assign(video, { status: "published", created_at: publishAt });
        return;
      }
      await new Promise((next) => setTimeout(next, 50));
    }
    throw new Error(`${video.id} isn't public, although it was scheduled for ${publishAt}`);
  },
};

const remove: StepKind<{ sender: Role; which: number }> = {
  weight: 3,
  args: fc.record({ sender: role, which: number }),
  async run({ sender, which }, model, site) {
    const id = nth(model.ids, which) ?? "none";
    await submitForm(
      site,
      sender,
      "/admin?tab=manage",
      { intent: "delete", id },
      model.delete(sender, [id]),
    );
  },
};

const restore: StepKind<{ sender: Role; which: number }> = {
  weight: 4,
  args: fc.record({ sender: role, which: number }),
  async run({ sender, which }, model, site) {
    const id = nth(model.trash, which)?.id ?? "none";
    const fields = { intent: "restore", selected: id };
    await submitForm(site, sender, "/admin/trash", fields, model.restore(sender, id));
  },
};

const purge: StepKind<{ sender: Role; which: number[] }> = {
  weight: 1,
  args: fc.record({ sender: role, which: numbers }),
  async run({ sender, which }, model, site) {
    const ids = [...new Set(which.map((each) => nth(model.trash, each)?.id ?? "none"))];
    const fields = { intent: "purge", selected: ids, confirmed: "on" };
    await submitForm(site, sender, "/admin/trash", fields, model.purge(sender, ids));
  },
};

const empty: StepKind<Role> = {
  weight: 0.3,
  args: role,
  async run(sender, model, site) {
    const ids = model.deletedOf(sender).map(({ id }) => id);
    const fields = { intent: "empty", until: new Date().toISOString() };
    await submitForm(site, sender, "/admin/trash", fields, model.purge(sender, ids));
  },
};

const bulkChange = fc.oneof(
  fc.record({ do: fc.constantFrom("publish", "hide", "delete") }),
  fc.record({ do: fc.constant("category"), category }),
  fc.record({
    do: fc.constantFrom("add-tags", "remove-tags"),
    tags: tags.filter(({ length }) => length > 0),
  }),
  fc.record({ do: fc.constantFrom("add-series", "remove-series"), series: number }),
);

const bulk: StepKind<{
  sender: Role;
  change: Value<typeof bulkChange>;
  which: number[];
}> = {
  weight: 6,
  args: fc.record({ sender: role, change: bulkChange, which: numbers }),
  async run({ sender, change, which }, model, site) {
    const ids = chosen(model, which);
    const named = "series" in change && {
      series: nth(model.series, change.series)?.title ?? "None",
    };
    const bulkAction = { ...change, ...named } as BulkChange;
    const typed = {
      ...bulkAction,
      ...("tags" in bulkAction && { tags: bulkAction.tags.join(",") }),
    } as Fields;
    const outcome = model.bulk(sender, bulkAction, ids);
    const fields = { intent: "bulk", selected: ids, confirmed: "on", ...typed };
    await submitForm(site, sender, "/admin?tab=manage", fields, outcome);
  },
};

const replaceTags: StepKind<{ sender: Role; from: string[]; target: string | null }> = {
  weight: 1,
  args: fc.record({
    sender: role,
    from: fc.subarray(TAGS, { minLength: 1, maxLength: 3 }),
    target: fc.option(fc.constantFrom(...TAGS)),
  }),
  async run({ sender, from, target }, model, site) {
    const folded = [...new Set(from.map((tag) => tag.toLowerCase()))];
    const outcome = model.replaceTags(sender, folded, target);
    const fields = {
      intent: target === null ? "delete" : "merge",
      selected: folded,
      name: target ?? "",
    };
    await submitForm(site, sender, "/admin/tags", fields, outcome);
  },
};

export const STUDIO = {
  edit,
  toggle,
  schedule,
  delete: remove,
  restore,
  purge,
  empty,
  bulk,
  replaceTags,
};
