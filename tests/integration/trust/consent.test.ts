import fs from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import {
  expiringSoon,
  hiddenVideos,
  hideVideosWithoutRecord,
  holdExpired,
  releaseHidden,
  updateAllConsentHolds,
} from "~/features/consent/consent-holds.server";
import { checkDocuments } from "~/features/consent/documents.server";
import { findPerformer, listPerformers } from "~/features/consent/performers.server";
import { action as consentAction } from "~/features/consent/routes/consent";
import { action as performerAction } from "~/features/consent/routes/performer";
import { action as documentAction } from "~/features/consent/routes/performer-document";
import { action as videoConsentAction } from "~/features/consent/routes/video-consent";
import {
  applyConsentRequirement,
  consentStates,
  findLacks,
  LACKS,
  refusalsOf,
} from "~/features/consent/validity.server";
import { findVideoConsent } from "~/features/consent/video-consent.server";
import { checkConsent } from "~/features/operations/alerts/check-moderation.server";
import { BACKUP, listUploads } from "~/features/operations/backups/backup-files.server";
import { openSession } from "~/features/permissions/session.server";
import { isPublic } from "~/features/visibility/visibility.server";
import { removeFiles } from "~/media/files/removals.server";
import { forgetSettings } from "~/platform/settings.server";
import { sqliteHandle } from "~db/client.server";
import {
  addVideo,
  adminCookie,
  catchResponse,
  get,
  page,
  useAdminSite,
  video,
} from "../../admin-requests";
import { TEST_SECRET } from "../../temporary-site";

const site = useAdminSite();
const ORIGIN = "http://localhost";
const PNG = Buffer.concat([
  Buffer.from("89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489", "hex"),
  Buffer.alloc(200_000, "secret face"),
]);
const DAY_MS = 86_400_000;

beforeEach(() => setting("REQUIRE_CONSENT", "on"));

function setting(name: string, value: string): void {
  process.env[name] = value;
  forgetSettings();
}

type Action = (args: { request: Request; params: object; context: object }) => Promise<unknown>;

function post(
  action: Action,
  params: Record<string, string>,
  body: BodyInit,
  cookie = adminCookie(),
) {
  const request = new Request(`${ORIGIN}/x`, {
    method: "POST",
    body,
    headers: { Cookie: cookie, Origin: ORIGIN, Host: "localhost" },
  });
  return action({ request, params, context: {} });
}

const PERFORMER = {
  intent: "save",
  stageNames: "Jane Doe\nMiss J",
  legalName: "Erika Mustermann",
  dateOfBirth: "1990-01-02",
  documentKind: "passport",
  checkedOn: "2026-01-01",
};

async function addPerformer(fields: Partial<typeof PERFORMER> = {}): Promise<string> {
  const body = new URLSearchParams({ ...PERFORMER, ...fields });
  const response = await catchResponse(() => post(performerAction as Action, { id: "new" }, body));
  return response.headers.get("Location")!.split("/").at(-1)!;
}

function change(id: string, fields: Record<string, string>) {
  return post(performerAction as Action, { id }, new URLSearchParams(fields));
}

function sendDocument(id: string, content: Buffer, name = "id.png", kind = "identity") {
  const form = new FormData();
  form.append("intent", "add-document");
  form.append("kind", kind);
  form.append("document", new File([new Uint8Array(content)], name));
  return post(performerAction as Action, { id }, form);
}

async function addDocument(id: string): Promise<string> {
  await catchResponse(() => sendDocument(id, PNG));
  return findPerformer(id)!.documents.at(-1)!.id;
}

function open(id: string, document: string, cookie?: string) {
  return post(documentAction as Action, { id, document }, new URLSearchParams(), cookie);
}

const CONSENT = {
  kind: "own",
  people: "1",
  performers: "jane doe",
  recordedOn: "2026-01-01",
  endsOn: "",
};

function declare(fields: Partial<typeof CONSENT> = {}, id = "v") {
  const shown = findVideoConsent(id)?.shown ?? "";
  const body = new URLSearchParams({ ...CONSENT, ...fields, shown });
  return post(videoConsentAction as Action, { id }, body);
}

const log = () =>
  sqliteHandle()
    .prepare("SELECT action, user_id, detail FROM moderation_log ORDER BY id")
    .all() as {
    action: string;
    user_id: string | null;
    detail: string;
  }[];
const actions = () => log().map(({ action }) => action);
const failed = (response: unknown) =>
  response as { data: { error: Record<string, unknown> }; init: { status: number } };

async function prepare(): Promise<{ id: string; document: string }> {
  if (!video()) addVideo();
  const id = await addPerformer();
  const document = await addDocument(id);
  await catchResponse(() => declare());
  return { id, document };
}

describe("performer records", () => {
  it("are found by the start of a word in a stage name, and are listed page by page", async () => {
    await addPerformer();
    for (let number = 0; number < 60; number++) {
      await addPerformer({ stageNames: `Anna ${String(number).padStart(2, "0")}` });
    }
    expect(listPerformers("do").performers.map(({ stageNames }) => stageNames[0])).toEqual([
      "Jane Doe",
    ]);
    expect(listPerformers("MISS").performers).toHaveLength(1);
    expect(listPerformers("iss").performers).toHaveLength(0);
    expect(listPerformers("Erika").performers).toHaveLength(0);
    const first = listPerformers();
    expect(first.performers).toHaveLength(50);
    expect(listPerformers("", first.next!).performers).toHaveLength(11);
    expect(listPerformers("", "nonsense").performers).toHaveLength(50);
  });

  it("keep legal names and dates of birth out of the database file", async () => {
    await addPerformer();
    sqliteHandle().pragma("wal_checkpoint(TRUNCATE)");
    const file = fs.readFileSync(process.env.DATABASE_PATH!);
    expect(file.includes("Jane Doe")).toBe(true);
    for (const secret of ["Mustermann", "1990-01-02"]) expect(file.includes(secret)).toBe(false);
  });

  it("aren't overwritten by a form from another tab", async () => {
    const id = await addPerformer();
    const shown = findPerformer(id)!.updatedAt;
    await catchResponse(() => change(id, { ...PERFORMER, shown, legalName: "A" }));
    const late = failed(await change(id, { ...PERFORMER, shown, legalName: "B" }));
    expect(late.init.status).toBe(409);
    expect(late.data.error.typed).toMatchObject({ legalName: "B" });
    expect(findPerformer(id)!.legalName).toBe("A");
  });

  it("reject hostile and empty input with messages", async () => {
    const body = new URLSearchParams({ ...PERFORMER, stageNames: "a\u0000b", legalName: "" });
    const response = failed(await post(performerAction as Action, { id: "new" }, body));
    expect(response.init.status).toBe(422);
    expect(Object.keys(response.data.error.fields as object)).toEqual(["stageNames", "legalName"]);
    const id = await addPerformer({ stageNames: "<script>alert(1)</script>%_'\"" });
    expect(listPerformers("<script>").performers[0]?.id).toBe(id);
  });
});

describe("documents", () => {
  it("are encrypted before they are written to disk, and each access is logged", async () => {
    const id = await addPerformer();
    await catchResponse(() => sendDocument(id, PNG, '../../../etc/passwd\u0000".png'));
    const { id: document } = findPerformer(id)!.documents[0]!;
    const file = path.join(site.uploads, "documents", document);
    expect(fs.readdirSync(path.join(site.uploads, "documents"))).toEqual([document]);
    expect(fs.readFileSync(file).includes("secret face")).toBe(false);
    expect(fs.readdirSync(path.join(site.uploads, "tmp"))).toEqual([]);

    const response = (await open(id, document)) as Response;
    expect(Buffer.from(await response.arrayBuffer()).equals(PNG)).toBe(true);
    expect(response.headers.get("Content-Disposition")).toBe(
      `attachment; filename="document-${document.slice(0, 8)}.png"`,
    );
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    expect(actions()).toEqual(["performer-add", "document-add", "document-open"]);
    expect(log().at(-1)).toMatchObject({ user_id: "u" });
    expect(JSON.stringify(log())).not.toMatch(/Jane|Erika/);
  });

  it("are limited in type and size, and rejected documents leave nothing behind", async () => {
    const id = await addPerformer();
    const cases: [Buffer, number][] = [
      [Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>"), 415],
      [Buffer.alloc(50_000, "text"), 415],
      [Buffer.alloc(0), 415],
      [Buffer.concat([PNG, Buffer.alloc(21 * 1024 ** 2)]), 413],
    ];
    for (const [content, status] of cases) {
      const response = failed(await sendDocument(id, content));
      expect(response.init.status).toBe(status);
    }
    expect(findPerformer(id)!.documents).toEqual([]);
    expect(checkDocuments()).toEqual({ stray: [], missing: [] });
    expect(fs.readdirSync(path.join(site.uploads, "tmp"))).toEqual([]);
  });

  it("are accessible only to owners, while editors manage records and uploaders can't do either", async () => {
    const { id, document } = await prepare();
    for (const role of ["editor", "uploader"]) {
      sqliteHandle().exec(
        `INSERT INTO users (id, email, password_hash, role) VALUES ('${role}', '${role}@b.c', 'x', '${role}')`,
      );
    }
    const cookieOf = async (who: string) => (await openSession(who)).split(";")[0]!;
    const editor = await cookieOf("editor");
    const uploader = await cookieOf("uploader");
    expect((await catchResponse(() => open(id, document, editor) as Promise<unknown>)).status).toBe(
      403,
    );
    const forget = new URLSearchParams({ intent: "forget", sure: "on" });
    const forgetAsEditor = () => post(performerAction as Action, { id }, forget, editor);
    expect((await catchResponse(forgetAsEditor)).status).toBe(403);
    const save = () =>
      post(performerAction as Action, { id: "new" }, new URLSearchParams(PERFORMER), editor);
    expect((await catchResponse(save)).status).toBe(302);
    const saveAsUploader = () =>
      post(performerAction as Action, { id: "new" }, new URLSearchParams(PERFORMER), uploader);
    expect((await catchResponse(saveAsUploader)).status).toBe(403);
  });

  it("aren't sent if they are damaged or lost, and the check reports the loss", async () => {
    const { id, document } = await prepare();
    const file = path.join(site.uploads, "documents", document);
    fs.truncateSync(file, 100_000);
    expect((await catchResponse(() => open(id, document) as Promise<unknown>)).status).toBe(302);
    fs.rmSync(file);
    expect((await catchResponse(() => open(id, document) as Promise<unknown>)).status).toBe(302);
    expect(actions()).not.toContain("document-open");
    fs.writeFileSync(path.join(site.uploads, "documents", "of-a-killed-process"), "x");
    expect(checkDocuments()).toEqual({ stray: ["of-a-killed-process"], missing: [document] });
  });

  it("can't be read with another secret but survive until the old one is restored", async () => {
    const { id, document } = await prepare();
    const other = "another secret of more than 32 characters";
    setting("SESSION_SECRET", other);
    const cookie = (await openSession("u")).split(";")[0]!;
    expect(findPerformer(id)).toMatchObject({
      isReadable: false,
      stageNames: ["Jane Doe", "Miss J"],
    });
    expect((await catchResponse(() => open(id, document, cookie) as Promise<unknown>)).status).toBe(
      302,
    );
    expect(refusalsOf(["v"]).get("v")).toContain("can’t be read");
    // The readable fields can be changed, while the unreadable ones are kept.
    const { updatedAt: shown } = findPerformer(id)!;
    const fields = new URLSearchParams({ ...PERFORMER, shown, legalName: "", dateOfBirth: "" });
    fields.set("stageNames", "Jane Doe");
    await catchResponse(() => post(performerAction as Action, { id }, fields, cookie));
    setting("SESSION_SECRET", `${other},${TEST_SECRET}`);
    expect(findPerformer(id)).toMatchObject({ legalName: "Erika Mustermann", isReadable: true });
    await updateAllConsentHolds();
    expect(refusalsOf(["v"]).size).toBe(0);
    const response = (await open(id, document, cookie)) as Response;
    expect((await response.arrayBuffer()).byteLength).toBe(PNG.length);
  });

  it("are encrypted in backups, which don't contain the key", async () => {
    delete process.env.SESSION_SECRET;
    forgetSettings();
    sqliteHandle();
    const cookie = (await openSession("u")).split(";")[0]!;
    const body = new URLSearchParams(PERFORMER);
    await catchResponse(() => post(performerAction as Action, { id: "new" }, body, cookie));
    const beside = path.dirname(process.env.DATABASE_PATH!);
    expect(fs.readdirSync(beside)).toContain("records-secret");
    expect(Object.values(BACKUP)).not.toContain("records-secret");
    expect(fs.statSync(path.join(beside, "records-secret")).mode & 0o777).toBe(0o600);
    const { id } = listPerformers().performers[0]!;
    const form = new FormData();
    form.append("intent", "add-document");
    form.append("kind", "identity");
    form.append("document", new File([new Uint8Array(PNG)], "id.png"));
    await catchResponse(() => post(performerAction as Action, { id }, form, cookie));
    const listed = listUploads(site.uploads).map((file) => file.path);
    expect(listed).toEqual([`documents/${findPerformer(id)!.documents[0]!.id}`]);
    // Simulates another machine that has the database and session-secret, but not the records secret.
    const secrets = path.join(beside, "session-secret");
    setting("SESSION_SECRET", fs.readFileSync(secrets, "utf8").trim());
    fs.renameSync(path.join(beside, "records-secret"), path.join(beside, "away"));
    process.env.DATABASE_PATH = path.join(site.folder, "elsewhere", "site.sqlite");
    forgetSettings();
    expect(findPerformer(id)?.isReadable).toBe(false);
  });
});

describe("publishing", () => {
  it("requires a valid record for everyone declared, if records are required", async () => {
    addVideo({ status: "hidden" });
    expect(refusalsOf(["v"]).get("v")).toContain("no consent record");
    const id = await addPerformer({ checkedOn: "", documentKind: "" });
    await catchResponse(() => declare({ people: "2" }));
    expect(refusalsOf(["v"]).get("v")).toContain("doesn’t list everyone");
    await catchResponse(() => declare());
    expect(refusalsOf(["v"]).get("v")).toContain("has not been verified");
    const { updatedAt: shown } = findPerformer(id)!;
    await catchResponse(() => change(id, { ...PERFORMER, shown }));
    expect(refusalsOf(["v"]).get("v")).toContain("has not been verified");
    await addDocument(id);
    expect(refusalsOf(["v"]).size).toBe(0);
    setting("REQUIRE_CONSENT", "off");
    addVideo({ id: "w", status: "hidden" });
    expect(refusalsOf(["w"]).size).toBe(0);
  });

  it("puts a video on hold if anyone in it was under 18 when it was recorded, whether or not records are required", async () => {
    setting("REQUIRE_CONSENT", "off");
    addVideo({ status: "published" });
    const id = await addPerformer({ dateOfBirth: "2008-01-02" });
    await catchResponse(() => declare());
    expect(isPublic("v")).toBe(false);
    expect(refusalsOf(["v"]).size).toBe(1);
    const { updatedAt: shown } = findPerformer(id)!;
    await catchResponse(() => change(id, { ...PERFORMER, shown, dateOfBirth: "2000-01-02" }));
    expect(refusalsOf(["v"]).size).toBe(0);
    expect(isPublic("v")).toBe(true);
  });

  it("happens as soon as the last missing document is added", async () => {
    applyConsentRequirement();
    addVideo({ status: "published" });
    expect(isPublic("v")).toBe(false);
    const id = await addPerformer();
    await catchResponse(() => declare());
    expect(isPublic("v")).toBe(false);
    await addDocument(id);
    expect(isPublic("v")).toBe(true);
  });

  it("rejects incomplete declarations and unknown names", async () => {
    addVideo();
    await addPerformer();
    await addPerformer();
    const wrong = { kind: "x", people: "51", recordedOn: "2099-01-01", endsOn: "no" };
    const response = failed(await declare({ ...wrong, performers: "Nobody" }));
    expect(response.init.status).toBe(422);
    expect(Object.keys(response.data.error.fields as object).sort()).toEqual(
      ["endsOn", "kind", "people", "performers", "recordedOn"].sort(),
    );
    const two = failed(await declare());
    const message = (two.data.error.fields as { performers: string }).performers;
    expect(message).toContain("Several performers");
    const chosen = /“(.*? #\w{8})”/.exec(message)![1]!;
    await catchResponse(() => declare({ performers: chosen }));
    expect(findVideoConsent("v")?.typed.performers.toLowerCase()).toBe(chosen.toLowerCase());
  });

  it("keeps a declaration that was saved in another tab", async () => {
    addVideo();
    await addPerformer();
    const { shown } = findVideoConsent("v")!;
    await catchResponse(() => declare());
    const body = new URLSearchParams({ ...CONSENT, shown, people: "7" });
    const late = failed(await post(videoConsentAction as Action, { id: "v" }, body));
    expect(late.init.status).toBe(409);
    expect(findVideoConsent("v")?.typed.people).toBe("1");
  });
});

describe("an expiring record", () => {
  const now = Date.parse("2026-05-01T12:00:00Z");

  it("causes a warning for 30 days, and hides the video on the expiry date until a person renews the record", async () => {
    addVideo({ status: "published" });
    await prepare();
    await catchResponse(() => declare({ endsOn: "2027-05-31" }));
    const ends = Date.parse("2027-05-31T00:00:00Z");
    expect(expiringSoon(ends - 31 * DAY_MS)).toEqual([]);
    expect(expiringSoon(ends - 30 * DAY_MS)).toMatchObject([{ id: "v", endsOn: "2027-05-31" }]);
    await checkConsent(ends - 30 * DAY_MS);
    await checkConsent(ends - 29 * DAY_MS);
    expect(sqliteHandle().prepare("SELECT kind, message FROM alerts").all()).toEqual([
      {
        kind: "consent",
        message:
          "1 consent record ends within 30 days, the first on 2027-05-31. A video goes on hold on the day its record ends.",
      },
    ]);
    expect(await holdExpired(ends - 1)).toBe(0);
    expect(isPublic("v")).toBe(true);
    expect(await holdExpired(ends)).toBe(1);
    expect(await holdExpired(ends)).toBe(0);
    expect(isPublic("v")).toBe(false);
    expect(actions()).toContain("consent-hold");
    await checkConsent(ends);
    expect(
      sqliteHandle().prepare("SELECT count(*) FROM alerts WHERE resolved_at IS NULL").pluck().get(),
    ).toBe(0);
    await catchResponse(() => declare({ endsOn: "2099-01-01" }));
    expect(refusalsOf(["v"]).size).toBe(0);
    expect(isPublic("v")).toBe(true);
  });

  describe("raises an alert", () => {
    const messages = () => sqliteHandle().prepare("SELECT message FROM alerts").pluck().all();
    const warningOf = (day: string) =>
      `1 consent record ends within 30 days, the first on ${day}. A video goes on hold on the day its record ends.`;
    const addExpiring = (id: string, endsOn: string, status = "published") => {
      addVideo({ id, status });
      sqliteHandle()
        .prepare(
          `INSERT INTO video_consents (video_id, kind, people, recorded_on, ends_on, updated_at)
           VALUES (?, 'own', 0, '2026-01-01', ?, '2026-01-01')`,
        )
        .run(id, endsOn);
    };
    const setStatus = (status: string) =>
      sqliteHandle().prepare("UPDATE videos SET status = ? WHERE id = 'w'").run(status);

    it("if its expiry date is moved to before the date in the alert", async () => {
      addVideo({ status: "published" });
      await prepare();
      await catchResponse(() => declare({ endsOn: "2027-05-31" }));
      addExpiring("w", "2027-05-31");
      const day = Date.parse("2027-05-02T12:00:00Z");
      await checkConsent(day);
      await catchResponse(() => declare({ endsOn: "2027-05-12" }));
      await checkConsent(day + DAY_MS);
      await checkConsent(day + 2 * DAY_MS);
      expect(messages().slice(1)).toEqual([warningOf("2027-05-12")]);
    });

    it("if its video is published after an alert about a later expiry", async () => {
      addExpiring("v", "2026-05-31");
      addExpiring("w", "2026-05-11", "hidden");
      await checkConsent(now);
      setStatus("published");
      await checkConsent(now + DAY_MS);
      expect(messages()).toEqual([warningOf("2026-05-31"), warningOf("2026-05-11")]);
    });

    it("again if its video was hidden and is published again", async () => {
      addExpiring("w", "2026-05-31");
      await checkConsent(now);
      setStatus("hidden");
      await checkConsent(now + DAY_MS);
      setStatus("published");
      await checkConsent(now + 2 * DAY_MS);
      await checkConsent(now + 4 * DAY_MS);
      expect(messages()).toEqual([warningOf("2026-05-31"), warningOf("2026-05-31")]);
    });

    it("together with other records once a day, unless it expires sooner", async () => {
      addExpiring("v", "2026-05-31");
      await checkConsent(now);
      addExpiring("w", "2026-05-03");
      await checkConsent(now + 3_600_000);
      expect(messages()).toHaveLength(1);
      addExpiring("x", "2026-05-02");
      await checkConsent(now + 3_600_000);
      expect(messages().slice(1)).toEqual([
        "2 consent records end within 30 days, the first on 2026-05-02. A video goes on hold on the day its record ends.",
      ]);
    });
  });

  it("is handled for a hundred videos together, even if it expired while the site was down", async () => {
    await addPerformer();
    for (let number = 0; number < 100; number++) {
      addVideo({ id: `v${number}`, status: "published" });
      sqliteHandle()
        .prepare(
          `INSERT INTO video_consents (video_id, kind, people, recorded_on, ends_on, updated_at)
           VALUES (?, 'own', 0, '2026-01-01', '2026-04-01', '2026-01-01')`,
        )
        .run(`v${number}`);
    }
    expect(await holdExpired(now)).toBe(100);
    expect(refusalsOf(["v1", "v99"]).size).toBe(2);
  });
});

describe("public videos without a record", () => {
  it("stay public until they are hidden together, which can be undone", async () => {
    addVideo({ id: "a", status: "published" });
    addVideo({ id: "b", status: "published" });
    addVideo({ id: "c", status: "hidden" });
    addVideo({ id: "v", status: "published" });
    await prepare();
    expect(findLacks(["a", "v"]).has("v")).toBe(false);
    expect(await hideVideosWithoutRecord("u")).toBe(2);
    expect(["a", "v"].map(isPublic)).toEqual([false, true]);
    const source = hiddenVideos()[0]?.source ?? "";
    expect(await releaseHidden(source, "u")).toBe(2);
    expect(await releaseHidden(source, "u")).toBeUndefined();
    expect(["a", "c"].map(isPublic)).toEqual([true, false]);
  });

  it("can be hidden and shown again by an owner who confirms the form", async () => {
    addVideo({ status: "published" });
    const send = (fields: Record<string, string>) =>
      post(consentAction as Action, {}, new URLSearchParams(fields));
    expect(failed(await send({ intent: "hide-lacking" })).init.status).toBe(422);
    expect(isPublic("v")).toBe(true);
    expect((await catchResponse(() => send({ intent: "hide-lacking", sure: "1" }))).status).toBe(
      302,
    );
    expect(isPublic("v")).toBe(false);
    const undo = { intent: "undo-hiding", source: hiddenVideos()[0]?.source ?? "" };
    expect((await catchResponse(() => send(undo))).status).toBe(302);
    expect(isPublic("v")).toBe(true);
    expect(failed(await send(undo)).init.status).toBe(404);
  });
});

describe("the record status", () => {
  it("is shown for each listed and edited video, if records are required", async () => {
    addVideo({ id: "w", status: "hidden" });
    await prepare();
    const shown = async (url: string) =>
      ((await page(url)) as unknown as { manage: { consent: object } }).manage.consent;
    const both = { v: { kind: "complete" }, w: { kind: "lacking", message: LACKS.record } };
    expect(await shown("/admin?tab=manage")).toEqual(both);
    expect(await shown("/admin?tab=manage&search=nothing&edit=w")).toEqual({ w: both.w });
    setting("REQUIRE_CONSENT", "off");
    expect(await shown("/admin?tab=manage&edit=w")).toEqual({});
  });

  it("counts down the last 30 days until the record expires", async () => {
    await prepare();
    await catchResponse(() => declare({ endsOn: "2099-05-31" }));
    const ends = Date.parse("2099-05-31T00:00:00Z");
    const stateBefore = (days: number) => consentStates(["v"], ends - days * DAY_MS).v;
    expect(stateBefore(31)).toEqual({ kind: "complete" });
    expect(stateBefore(30)).toEqual({ kind: "expiring", days: 30 });
    expect(stateBefore(0.5)).toEqual({ kind: "expiring", days: 1 });
    expect(stateBefore(0)).toEqual({ kind: "lacking", message: LACKS.ended });
  });

  it("is not shown to uploaders for other users' videos", async () => {
    sqliteHandle().exec(
      "INSERT INTO users (id, email, password_hash, role) VALUES ('up', 'u@b.c', 'x', 'uploader')",
    );
    addVideo({ uploaded_by: "u" });
    const cookie = (await openSession("up")).split(";")[0]!;
    const response = (await get("/admin?tab=manage&edit=v", { Cookie: cookie })) as unknown as {
      data?: { manage: { consent: object } };
      manage?: { consent: object };
    };
    expect((response.data ?? response).manage?.consent).toEqual({});
  });
});

describe("a new performer", () => {
  it("is rejected if they are under 18 today, keeping the form's values", async () => {
    const today = new Date();
    const birthday = (days: number) =>
      new Date(
        Date.UTC(today.getUTCFullYear() - 18, today.getUTCMonth(), today.getUTCDate() + days),
      )
        .toISOString()
        .slice(0, 10);
    const send = (dateOfBirth: string) => {
      const body = new URLSearchParams({ ...PERFORMER, dateOfBirth });
      return post(performerAction as Action, { id: "new" }, body).catch(
        (thrown: unknown) => thrown,
      );
    };
    expect(JSON.stringify(await send(birthday(1)))).toContain("This person is under 18");
    expect(listPerformers().performers).toEqual([]);
    expect(await send(birthday(0))).toMatchObject({ status: 302 });
  });
});

describe("deleting a performer", () => {
  it("hides the performer's public videos, then deletes all of the performer's data without logging a name", async () => {
    addVideo({ status: "published" });
    const { id, document } = await prepare();
    const unsure = failed(await change(id, { intent: "forget" }));
    expect(unsure.init.status).toBe(422);
    await catchResponse(() => change(id, { intent: "forget", sure: "on" }));
    expect(findPerformer(id)).toBeUndefined();
    expect(isPublic("v")).toBe(false);
    await removeFiles();
    expect(fs.existsSync(path.join(site.uploads, "documents", document))).toBe(false);
    for (const table of ["performer_names", "performer_documents", "video_performers"]) {
      expect(sqliteHandle().prepare(`SELECT count(*) FROM ${table}`).pluck().get()).toBe(0);
    }
    expect(actions().slice(-2)).toEqual(["performer-delete", "consent-hold"]);
    expect(JSON.stringify(log())).not.toMatch(/Jane|Erika/);
    expect(failed(await change(id, { intent: "forget", sure: "on" })).init.status).toBe(404);
  });

  it("leaves the videos public if no consent record is required", async () => {
    setting("REQUIRE_CONSENT", "off");
    addVideo({ status: "published" });
    const { id, document } = await prepare();
    await catchResponse(() => change(id, { intent: "remove-document", document }));
    await catchResponse(() => change(id, { intent: "forget", sure: "on" }));
    expect(isPublic("v")).toBe(true);
  });

  it("keeps videos on hold if they show a minor, even if a record is added later", async () => {
    setting("REQUIRE_CONSENT", "off");
    addVideo({ status: "published" });
    const id = await addPerformer({ dateOfBirth: "2008-01-02" });
    await catchResponse(() => declare());
    await catchResponse(() => change(id, { intent: "forget", sure: "on" }));
    expect(isPublic("v")).toBe(false);
    await prepare();
    expect(findLacks(["v"]).size).toBe(0);
    expect(isPublic("v")).toBe(false);
  });
});
