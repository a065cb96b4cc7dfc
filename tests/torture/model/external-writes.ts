import fc from "fast-check";
import { CATEGORIES } from "../../../app/shared/category-list";
import { ROLES } from "./reference";
import { nth, type StepKind, type Value } from "./step";
import { chosen, number, numbers, tags, title } from "./values";

/** Steps in which other processes change the `videos` table while the site is running. */

const STATUSES = ["published", "published", "published", "hidden", "review"];
const STORED_CATEGORIES = CATEGORIES.flatMap(({ id, legacy }) => [id, ...legacy]);
const DAY_MS = 86_400_000;
const LATEST_TIME = Date.now() - DAY_MS;

const row = fc.record({
  ...{ title, tags },
  category: fc.constantFrom(...STORED_CATEGORIES),
  status: fc.constantFrom(...STATUSES),
  views: fc.constantFrom(0, 0, 3, 70, 10_001, 50_001),
  owner: fc.constantFrom(...ROLES),
});

/**
 * Returns a unique time for each row, in no particular order. Rows never become 30 days old during a run, because that
 * would affect related videos.
 */
function timeOf(index: number): string {
  const minutes = ((index * 7_919) % 10_007) + (index % 2) * 40 * 24 * 60;
  return new Date(LATEST_TIME - minutes * 60_000 - index).toISOString();
}

const quoted = (value: string | number | null) =>
  typeof value === "number" ? value : value === null ? "NULL" : `'${value.replaceAll("'", "''")}'`;
const tagsText = (list: readonly string[] | null) => (list?.length ? JSON.stringify(list) : null);

const insert: StepKind<{
  rows: { row: Value<typeof row>; again?: number }[];
  onConflict: "replace" | "ignore";
}> = {
  weight: 4,
  args: fc.record({
    rows: fc.array(fc.record({ row, again: fc.option(number, { freq: 4, nil: undefined }) }), {
      minLength: 1,
      maxLength: 6,
    }),
    onConflict: fc.constantFrom("replace", "ignore"),
  }),
  async run({ rows, onConflict }, model, site) {
    const statements = rows.map(({ row: given, again }) => {
      const index = model.ids.length;
      const id = (again !== undefined && nth(model.ids, again)) || `v${index}`;
      const created_at = timeOf(id === `v${index}` ? index : Number(id.slice(1)));
      const video = { ...given, id, created_at, tags: given.tags.length > 0 ? given.tags : null };
      model.insert(video, onConflict);
      const columns = {
        ...{ id, title: video.title, category: video.category, status: video.status },
        ...{ tags: tagsText(video.tags), views: video.views, created_at },
        uploaded_by: site.idOf(video.owner),
      };
      return `INSERT OR ${onConflict.toUpperCase()} INTO videos (${Object.keys(columns).join(", ")})
        VALUES (${Object.values(columns).map(quoted).join(", ")});`;
    });
    site.write(`BEGIN;\n${statements.join("\n")}\nCOMMIT;`);
  },
};

const overwrite: StepKind<{ which: number[]; to: Partial<Value<typeof row>> }> = {
  weight: 3,
  args: fc.record({
    which: numbers,
    to: row.chain(({ owner: _, ...columns }) =>
      fc
        .subarray(Object.keys(columns), { minLength: 1 })
        .map((names) =>
          Object.fromEntries(Object.entries(columns).filter(([name]) => names.includes(name))),
        ),
    ),
  }),
  async run({ which, to }, model, site) {
    const ids = chosen(model, which);
    for (const id of ids) {
      const video = model.find(id);
      if (video) Object.assign(video, to, to.tags && { tags: to.tags.length > 0 ? to.tags : null });
    }
    const columns = { ...to, ...(to.tags && { tags: tagsText(to.tags) }) } as Record<
      string,
      string
    >;
    const set = Object.entries(columns).map(([name, value]) => `${name} = ${quoted(value)}`);
    site.write(`UPDATE videos SET ${set.join(", ")} WHERE id IN (${ids.map(quoted).join(", ")});`);
  },
};

const erase: StepKind<number[]> = {
  weight: 1,
  args: numbers,
  async run(which, model, site) {
    const ids = chosen(model, which);
    model.remove(ids);
    site.write(`DELETE FROM videos WHERE id IN (${ids.map(quoted).join(", ")});`);
  },
};

export const EXTERNAL_WRITES = { insert, overwrite, erase };
