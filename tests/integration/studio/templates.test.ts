import { describe, expect, it } from "vitest";
import { action, loader } from "~/features/upload/routes/templates";
import { MAX_TEMPLATE } from "~/features/upload/templates";
import {
  deleteOldTemplates,
  deleteTemplate,
  type TemplateFailure,
  templatesOf,
} from "~/features/upload/templates.server";
import { sqliteHandle } from "~db/client.server";
import {
  addVideo,
  adminCookie,
  catchResponse,
  expectSuccessOf,
  page,
  useAdminSite,
} from "../../admin-requests";

useAdminSite();
const ORIGIN = "http://localhost";
const NIGHT = { name: "Night", description: "Recorded at night.", category: "desi", tags: "night" };

function args(url: string, body?: Record<string, string>) {
  const headers = { Cookie: adminCookie(), Origin: ORIGIN, Host: "localhost" };
  const init = body ? { method: "POST", body: new URLSearchParams(body) } : {};
  return { request: new Request(ORIGIN + url, { ...init, headers }), params: {}, context: {} };
}
const send = (fields: Record<string, string>) => action(args("/admin/templates", fields));
const save = (fields: Record<string, string>) =>
  expectSuccessOf(() => send({ intent: "save", ...fields }));
const names = () => templatesOf("u").map(({ name }) => name);

async function rejected(fields: Record<string, string>): Promise<TemplateFailure> {
  const response = (await send(fields)) as { data: { error: TemplateFailure }; init: object };
  expect(response.init).toEqual({ status: response.data.error.status });
  return response.data.error;
}
const start = async (url = "/admin") => (await page(url)).start;

describe("upload templates", () => {
  it("can be created, changed, deleted and restored", async () => {
    await save({ ...NIGHT, name: " Night " });
    const [night] = templatesOf("u");
    expect(night).toMatchObject({ ...NIGHT, isDefault: false });
    const id = String(night?.id);
    await save({ template: id, ...NIGHT, name: "Nights", default: "1" });
    expect(templatesOf("u")).toMatchObject([{ name: "Nights", isDefault: true }]);
    const { toast } = await expectSuccessOf(() => send({ intent: "delete", template: id }));
    expect(names()).toEqual([]);
    await expectSuccessOf(() => send(toast.action.fields));
    expect(names()).toEqual(["Nights"]);
    const { data, init } = await loader(args("/admin/templates?template=99"));
    expect([data.isGone, init?.status]).toEqual([true, 404]);
  });

  it("aren't restored if the name is taken, the limit is reached, or 30 days have passed", async () => {
    const add = async (name: string) => {
      await save({ ...NIGHT, name });
      return templatesOf("u").find((each) => each.name === name)!.id;
    };
    const gone = await add("Night");
    await deleteTemplate("u", gone);
    const restore = { intent: "restore", template: String(gone) };
    const other = await add("NIGHT");
    expect((await rejected(restore)).status).toBe(409);
    await deleteTemplate("u", other);
    for (let n = 0; n < MAX_TEMPLATE; n += 1) await add(`Template ${n}`);
    expect((await rejected(restore)).status).toBe(422);
    await deleteTemplate("u", templatesOf("u").at(-1)!.id);
    sqliteHandle()
      .prepare("UPDATE upload_templates SET deleted_at = ? WHERE id = ?")
      .run(new Date(Date.now() - 31 * 86_400_000).toISOString(), gone);
    expect((await rejected(restore)).status).toBe(404);
    expect(names()).toHaveLength(MAX_TEMPLATE - 1);
  });

  it("are rejected with an error for each invalid field, and the input is kept", async () => {
    await save(NIGHT);
    const wrong = { intent: "save", ...NIGHT, name: "", category: "nothing" };
    expect(await rejected(wrong)).toMatchObject({
      status: 422,
      typed: { description: NIGHT.description, category: "nothing" },
      fields: { name: "Enter a name of 1 to 60 characters.", category: "Choose a category." },
    });
    expect((await rejected({ intent: "save", ...NIGHT, name: "night" })).status).toBe(409);
    expect((await rejected({ intent: "save", ...NIGHT, name: "N", template: "99" })).status).toBe(
      404,
    );
    expect((await rejected({ intent: "restore", template: "1" })).status).toBe(404);
    expect((await rejected({ intent: "delete" })).status).toBe(400);
    expect(names()).toEqual(["Night"]);
  });

  it("belong to the user who created them, who can choose one as the default", async () => {
    await save({ ...NIGHT, default: "1" });
    await save({ ...NIGHT, name: "Day", default: "1" });
    expect(templatesOf("u").map(({ isDefault }) => isDefault)).toEqual([true, false]);
    const sqlite = sqliteHandle();
    sqlite.exec("INSERT INTO users (id, email, password_hash) VALUES ('o', 'o@b.c', 'x')");
    sqlite.exec("INSERT INTO upload_templates (user_id, name) VALUES ('o', 'Other')");
    const other = String(templatesOf("o")[0]?.id);
    for (const intent of ["save", "delete"]) {
      expect((await rejected({ ...NIGHT, name: "X", intent, template: other })).status).toBe(404);
    }
    expect(names()).toEqual(["Day", "Night"]);
  });

  it("are purged thirty days after deletion, or when their user is deleted", async () => {
    await save(NIGHT);
    await save({ ...NIGHT, name: "Day" });
    const [day, night] = templatesOf("u").map(({ id }) => id);
    await deleteTemplate("u", night ?? 0, Date.now() - 31 * 24 * 60 * 60 * 1000);
    await deleteTemplate("u", day ?? 0);
    await deleteOldTemplates();
    const left = () => sqliteHandle().prepare("SELECT id FROM upload_templates").pluck().all();
    expect(left()).toEqual([day]);
    sqliteHandle().exec("DELETE FROM users");
    expect(left()).toEqual([]);
  });

  it("require a session", async () => {
    const request = new Request(`${ORIGIN}/admin/templates`);
    const response = await catchResponse(() => loader({ request, params: {}, context: {} }));
    expect(response.headers.get("Location")).toBe("/auth");
  });
});

describe("the upload form", () => {
  it("starts blank, or with the values of a template or the last upload", async () => {
    expect(await start()).toEqual({ templates: [], last: undefined, texts: undefined });
    await save(NIGHT);
    await save({ ...NIGHT, name: "Day", description: "By day.", default: "1" });
    addVideo({ id: "a", uploaded_by: "u", created_at: "2026-01-01", description: "Old" });
    addVideo({
      id: "b",
      uploaded_by: "u",
      category: "solo",
      tags: '["x","y"]',
      description: "New",
    });
    addVideo({ id: "c", uploaded_by: "o", description: "Of another" });
    const last = { description: "New", category: "pornstar", tags: "x, y" };
    expect(await start()).toMatchObject({
      templates: [{ name: "Day" }, { name: "Night" }],
      last,
      texts: { description: "By day." },
    });
    const night = templatesOf("u").find(({ name }) => name === "Night")?.id;
    expect((await start(`/admin?start=${night}`))?.texts).toMatchObject({ name: "Night" });
    expect((await start("/admin?start=last"))?.texts).toEqual(last);
    expect((await start("/admin?start=99"))?.texts).toBeUndefined();
    expect(await start("/admin?tab=manage")).toBeUndefined();
  });
});
