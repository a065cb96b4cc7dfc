import { beforeEach, describe, expect, it } from "vitest";
import { eraseDueReports } from "~/features/moderation/reports/report-mails.server";
import {
  addMessage,
  closeReport,
  moveReport,
  readMessages,
  readReport,
} from "~/features/moderation/reports/report-records.server";
import { readStatusToken, statusToken } from "~/features/moderation/reports/status-token.server";
import { newPuzzle } from "~/features/moderation/reports/submit-report.server";
import { loader as openForm, action as sendForm } from "~/features/moderation/routes/report";
import {
  headers,
  meta,
  loader as openStatus,
  action as sendStatus,
} from "~/features/moderation/routes/report-status";
import { routeOf } from "~/features/permissions/route-of";
import { isPublic } from "~/features/visibility/visibility.server";
import { forgetSettings } from "~/platform/settings.server";
import { sqliteHandle, transaction } from "~db/client.server";
import { addVideo, useAdminSite } from "../../admin-requests";
import { addKeptReport } from "../../reported-videos";
import { solvePuzzle } from "../../solve-puzzle";
import { TEST_SECRET } from "../../temporary-site";

const ORIGIN = "http://localhost";
const DAY = 86_400_000;

useAdminSite();
let address = 0;
beforeEach(() => {
  // Each test uses a different IP address, because limits are per IP address.
  address += 1;
  set({ PUBLIC_URL: ORIGIN });
});

function set(environment: Record<string, string>): void {
  Object.assign(process.env, environment);
  forgetSettings();
}

interface Result {
  status: number;
  location: string;
  // biome-ignore lint/suspicious/noExplicitAny: the shapes of several routes.
  data: any;
  headers: Headers;
}

async function resultOf(work: () => unknown): Promise<Result> {
  const value = await (async () => work())().catch((thrown: unknown) => thrown);
  if (value instanceof Error) throw value;
  if (value instanceof Response) {
    const location = value.headers.get("Location") ?? "";
    return { status: value.status, location, data: await value.text(), headers: value.headers };
  }
  const { data, init } = value as { data?: unknown; init?: ResponseInit | null };
  return {
    ...{ status: init?.status ?? 200, location: "", headers: new Headers(init?.headers) },
    data: data ?? value,
  };
}

function request(path: string, fields?: Record<string, string>, from = `10.0.0.${address}`) {
  const headers = { Origin: ORIGIN, "X-Forwarded-For": from };
  const body = fields && new URLSearchParams(fields);
  return new Request(ORIGIN + path, { method: fields ? "POST" : "GET", headers, body });
}

const FIELDS = {
  form: "one-opening-of-the-form",
  where: `${ORIGIN}/video/v`,
  what: "It shows me, and I did not agree.",
  "statement-0": "1",
  "statement-1": "1",
};

const open = (path: string) =>
  resultOf(() => openForm({ request: request(path), params: {}, context: {} }));
const send = (fields: Record<string, string> = {}, kind = "consent", from?: string) =>
  resultOf(() =>
    sendForm({
      request: request(
        `/report?video=v&kind=${kind}`,
        { ...FIELDS, anyway: fields.where ?? FIELDS.where, ...fields },
        from,
      ),
      params: {},
      context: {},
    }),
  );
const tokenOf = ({ location }: Result) => location.replace("/report/", "");
const idOf = (result: Result) => readStatusToken(tokenOf(result))?.id ?? "";
const status = (token: string) =>
  resultOf(() =>
    openStatus({ request: request(`/report/${token}`), params: { token }, context: {} }),
  );
const postToReport = (token: string, fields: Record<string, string>) =>
  resultOf(() =>
    sendStatus({ request: request(`/report/${token}`, fields), params: { token }, context: {} }),
  );
const count = (table = "reports") =>
  sqliteHandle().prepare(`SELECT count(*) FROM ${table}`).pluck().get();
const logged = () =>
  sqliteHandle().prepare("SELECT action FROM moderation_log ORDER BY id").pluck().all();

describe("a report", () => {
  it("redirects to its status page, which shows the report", async () => {
    addVideo({ status: "published" });
    const sent = await send({ name: "Ada" });
    expect([sent.status, sent.location]).toEqual([
      303,
      expect.stringMatching(/^\/report\/[\w-]+\.[\w-]{43}$/),
    ]);
    const { page } = (await status(tokenOf(sent))).data;
    expect(page).toMatchObject({ kind: "consent", videos: [{ id: "v" }], canWrite: true });
    expect(page.message).toContain("Received");
    expect(readReport(idOf(sent))?.payload).toMatchObject({ name: "Ada" });
  });

  it.each([
    [{ where: "" }, "where"],
    [{ what: "bad" }, "what"],
    [{ what: "x".repeat(4_001) }, "what"],
    [{ email: "a@b\r\nBcc: c@d" }, "email"],
    [{ "statement-0": undefined }, "statement"],
  ])("is shown again with errors for %j, and keeps its values", async (fields, wrong) => {
    const typed = Object.fromEntries(
      Object.entries({ ...FIELDS, name: "Ada", ...fields }).filter(([, value]) => value),
    ) as Record<string, string>;
    const result = await resultOf(() =>
      sendForm({
        request: request("/report?kind=consent", typed),
        params: {},
        context: {},
      }),
    );
    expect([result.status, Object.keys(result.data.errors)]).toEqual([422, [wrong]]);
    expect(result.data.typed).toMatchObject({ name: "Ada", what: typed.what });
    expect(count()).toBe(0);
  });

  it("requires a name and both statements only for copyright", async () => {
    expect((await send({}, "copyright")).data.errors).toHaveProperty("name");
    const { "statement-1": _, ...one } = { ...FIELDS, name: "Ada" };
    const result = await resultOf(() =>
      sendForm({ request: request("/report?kind=copyright", one), params: {}, context: {} }),
    );
    expect(result.data.errors).toHaveProperty("statement");
    expect((await send({ name: "Ada" }, "copyright")).status).toBe(303);
  });

  it("is created only once, even if the form is sent repeatedly and in several tabs", async () => {
    const [one, two] = await Promise.all([send(), send()]);
    expect(one.location).toBe(two.location);
    const first = await open("/report?kind=consent");
    const cookie = first.headers.get("Set-Cookie")?.split(";")[0] ?? "";
    const second = await resultOf(() =>
      openForm({
        request: new Request(`${ORIGIN}/report?kind=consent`, { headers: { Cookie: cookie } }),
        params: {},
        context: {},
      }),
    );
    expect(second.data.formId).toBe(first.data.formId);
    expect(count()).toBe(1);
    await send({ form: "another-opening-of-the-form" });
    expect(count()).toBe(2);
  });

  it("can be about a deleted or unknown video", async () => {
    const deleted = await send({ where: `${ORIGIN}/video/gone` });
    expect(readReport(idOf(deleted))).toMatchObject({ videos: [{ id: "gone" }] });
    const none = await send({ where: "the third on the first page" });
    expect(readReport(idOf(none))).toMatchObject({ videos: [] });
    expect(count("video_holds")).toBe(0);
    expect((await open("/report?video=gone&kind=other")).data).toMatchObject({
      title: undefined,
      where: `${ORIGIN}/video/gone`,
    });
  });

  it("is accepted without a public video once the reporter confirms it, whether or not the video is hidden", async () => {
    addVideo({ id: "hidden", status: "hidden" });
    for (const where of [`${ORIGIN}/video/hidden`, `${ORIGIN}/video/gone`, "the third\nvideo"]) {
      const rejected = await send({ where, anyway: "" });
      expect([rejected.status, Object.keys(rejected.data.errors)]).toEqual([422, ["where"]]);
      expect(rejected.data).toMatchObject({ isUnknown: true, typed: { where } });
      expect((await send({ where, anyway: `${where} and more` })).status).toBe(422);
      expect((await send({ where, anyway: where.replace("\n", "\r\n") })).status).toBe(303);
    }
    addVideo({ status: "published" });
    expect((await send({ anyway: "" })).status).toBe(303);
  });

  it("is stored without characters that disguise text, even if it is long and hostile", async () => {
    const sent = await send({
      what: "A\u0000 story\u202e that turns\u2066 round.\r\nNew line",
      name: "<script>alert(1)</script>\r\nX: y",
    });
    expect(readReport(idOf(sent))?.payload).toMatchObject({
      what: "A story that turns round.\nNew line",
      name: "<script>alert(1)</script> X: y",
    });
    expect((await send({ what: "語".repeat(4_000) })).status).toBe(303);
    expect((await send({ what: "x".repeat(200_000) })).status).toBe(413);
    expect((await send({}, "nonsense")).status).toBe(400);
  });

  it("doesn't reveal the title of a hidden video", async () => {
    addVideo({ status: "hidden" });
    expect((await open("/report?video=v&kind=other")).data.title).toBeUndefined();
  });
});

describe("a report about a possible minor or missing consent", () => {
  it.each([
    { kind: "consent", isStillPublic: false },
    { kind: "under-age", isStillPublic: false },
    { kind: "copyright", isStillPublic: true },
    { kind: "other", isStillPublic: true },
  ])("hides the video immediately, or leaves it public: %o", async ({ kind, isStillPublic }) => {
    addVideo({ status: "published" });
    await send({ name: "Ada" }, kind);
    expect(isPublic("v")).toBe(isStillPublic);
    expect(logged()).toEqual(isStillPublic ? ["received"] : ["received", "hide-at-once"]);
  });

  it("doesn't hide anything if REPORT_HIDE=off", async () => {
    set({ REPORT_HIDE: "off" });
    addVideo({ status: "published" });
    await send();
    expect(isPublic("v")).toBe(true);
  });

  it("doesn't hide a video that a person has already reviewed for the same kind of report", async () => {
    addVideo({ status: "published" });
    addKeptReport(sqliteHandle(), "v", "consent");
    await send();
    expect(isPublic("v")).toBe(true);
    await send({ form: "another" }, "under-age");
    expect(isPublic("v")).toBe(false);
  });
});

describe("a flood of reports from one IP address", () => {
  const flood = async (reports: number) => {
    for (let at = 0; at < reports; at++) await send({ form: `flood ${at}` });
  };

  it("triggers a question whose answer works once, while other addresses aren't asked a question", async () => {
    addVideo({ status: "published" });
    await flood(5);
    sqliteHandle().exec("DELETE FROM video_holds");
    const questioned = await send({ form: "sixth" });
    expect([questioned.status, Object.keys(questioned.data.errors)]).toEqual([422, ["answer"]]);
    expect(questioned.data.typed.what).toBe(FIELDS.what);
    expect([count(), isPublic("v")]).toEqual([5, true]);
    expect((await open("/report?kind=other")).data.puzzle.question).toMatch(/\?$/);

    const { question, token } = questioned.data.puzzle;
    const solved = { puzzle: token, answer: ` ${solvePuzzle(question).toUpperCase()}. ` };
    expect((await send({ form: "sixth", ...solved })).status).toBe(303);
    // Sending the form twice creates only one report. The answer can't be reused for another report.
    expect((await send({ form: "sixth", ...solved })).status).toBe(303);
    expect((await send({ form: "seventh", ...solved })).status).toBe(422);
    expect((await send({ form: "eighth" }, "consent", "10.9.9.9")).status).toBe(303);
    expect(count()).toBe(7);
  });

  it("gets one attempt per question, and can neither read the answer nor change the question's timestamp", async () => {
    await flood(5);
    const { question, token } = newPuzzle();
    const wrong = { form: "x", puzzle: token, answer: "elephant" };
    expect((await send(wrong)).status).toBe(422);
    expect((await send({ ...wrong, answer: solvePuzzle(question) })).status).toBe(422);
    const old = newPuzzle(Date.now() - 16 * 60_000);
    expect(
      (await send({ form: "x", puzzle: old.token, answer: solvePuzzle(old.question) })).status,
    ).toBe(422);
    const [nonce, , mac] = old.token.split(".");
    const later = `${nonce}.${Date.now() + DAY}.${mac}`;
    expect(
      (await send({ form: "x", puzzle: later, answer: solvePuzzle(old.question) })).status,
    ).toBe(422);
    expect((await send({ form: "x", puzzle: "..", answer: "1" })).status).toBe(422);
  });

  it("is measured by the number of reported videos, so that one report can't hide the whole site without a question", async () => {
    const where = Array.from({ length: 9 }, (_, at) => `${ORIGIN}/video/v${at}`).join("\n");
    expect((await send({ where })).data.errors).toHaveProperty("answer");
  });

  it("is stopped after sixty reports an hour, and the form keeps its values", async () => {
    await flood(5);
    for (let at = 5; at < 60; at++) {
      const { question, token } = newPuzzle();
      await send({ form: `f${at}`, puzzle: token, answer: solvePuzzle(question) });
    }
    const { question, token } = newPuzzle();
    const last = await send({ form: "last", puzzle: token, answer: solvePuzzle(question) });
    expect([count(), last.status, last.data.typed.what]).toEqual([60, 429, FIELDS.what]);
    expect(last.data.notice).toContain("mail");
  });
});

describe("too much text in open reports", () => {
  it("still allows short reports", async () => {
    addVideo({ status: "published" });
    sqliteHandle().exec(`
      INSERT INTO reports (id, kind, received_at, due_at, payload)
      VALUES ('long', 'other', '2026-01-01', '2026-01-01', zeroblob(65 * 1024 * 1024))`);
    const long = await send({ what: "x".repeat(501) });
    expect([long.status, long.data.errors.what]).toEqual([
      422,
      "Please use at most 500 characters.",
    ]);
    expect((await send({ what: "x".repeat(500) })).status).toBe(303);
    sqliteHandle().exec("UPDATE reports SET state = 'closed' WHERE id = 'long'");
    expect((await send({ form: "another", what: "x".repeat(501) })).status).toBe(303);
  });
});

describe("a status link", () => {
  it("can't be forged, changed or reused, and an invalid link shows a message", async () => {
    const token = tokenOf(await send());
    const [id = "", mac = ""] = token.split(".");
    const others = [
      `${id}.${mac.slice(0, -1)}`,
      `${"A".repeat(22)}.${mac}`,
      id,
      "",
      "x".repeat(5_000),
    ];
    for (const forged of [...others, `${id}.${"A".repeat(43)}`]) {
      const { status: code, data } = await status(forged);
      expect([code, data.missing]).toEqual([404, expect.stringContaining("No report was found")]);
      expect((await postToReport(forged, { intent: "withdraw" })).status).toBe(404);
    }
    // The link is signed, but its report doesn't exist.
    expect((await status(statusToken("A".repeat(22)))).status).toBe(404);
  });

  it("works with an older secret, but not with any other secret", async () => {
    const token = tokenOf(await send());
    set({ SESSION_SECRET: `another-secret-for-tests-of-32-letters,${TEST_SECRET}` });
    expect((await status(token)).status).toBe(200);
    set({ SESSION_SECRET: "another-secret-for-tests-of-32-letters" });
    expect((await status(token)).status).toBe(404);
    expect(count()).toBe(1);
  });

  it("isn't in any cache, index, log or referrer", () => {
    const sent = headers({ actionHeaders: new Headers() } as never) as Headers;
    expect(sent.get("Cache-Control")).toBe("no-store");
    expect(sent.get("X-Robots-Tag")).toBe("noindex");
    expect(meta({ matches: [] } as never)).toContainEqual({
      name: "referrer",
      content: "strict-origin",
    });
    expect(routeOf("/report/secret.data")).toBe("/report/:token");
  });

  it("accepts an answer once and reopens the report", async () => {
    const sent = await send();
    const [id, token] = [idOf(sent), tokenOf(sent)];
    await transaction(() => {
      addMessage({ reportId: id, author: "moderator", text: "Which minute?" });
      moveReport({ id, from: ["open"], to: "asked" });
    });
    expect((await status(token)).data.page.message).toContain("question");
    await postToReport(token, { intent: "answer", message: "The third." });
    await postToReport(token, { intent: "answer", message: "The third." });
    expect(readMessages(id).map(({ text }) => text)).toEqual(["Which minute?", "The third."]);
    expect(readReport(id)?.state).toBe("open");
    const empty = await postToReport(token, { intent: "answer", message: " \u202e " });
    expect([empty.status, empty.data.error]).toEqual([422, "Please enter a message."]);
    const long = await postToReport(token, { intent: "answer", message: "x".repeat(4_001) });
    expect([long.status, long.data.text]).toEqual([422, "x".repeat(4_001)]);
    expect((await postToReport(token, { intent: "nonsense" })).status).toBe(400);
  });

  it("accepts three answers until a moderator writes again", async () => {
    const sent = await send();
    const token = tokenOf(sent);
    const write = async (message: string) =>
      (await postToReport(token, { intent: "answer", message })).status;
    for (const message of ["One.", "Two.", "Three."]) expect(await write(message)).toBe(303);
    expect((await status(token)).data.page.canWrite).toBe(false);
    expect(await write("Four.")).toBe(409);
    await transaction(() =>
      addMessage({ reportId: idOf(sent), author: "moderator", text: "Thank you." }),
    );
    expect((await status(token)).data.page.canWrite).toBe(true);
    expect(await write("Four.")).toBe(303);
  });

  it("withdraws the report, but a video hidden because of the report is still reviewed", async () => {
    addVideo({ status: "published" });
    const plain = await send({ name: "Ada" }, "copyright");
    await postToReport(tokenOf(plain), { intent: "withdraw" });
    expect(readReport(idOf(plain))).toMatchObject({ state: "closed", decision: "withdrawn" });
    expect((await postToReport(tokenOf(plain), { intent: "answer", message: "More" })).status).toBe(
      409,
    );

    const hiding = await send();
    await postToReport(tokenOf(hiding), { intent: "withdraw" });
    await postToReport(tokenOf(hiding), { intent: "withdraw" });
    expect(readReport(idOf(hiding))).toMatchObject({ state: "open", decision: "withdrawn" });
    expect(isPublic("v")).toBe(false);
    const { page } = (await status(tokenOf(hiding))).data;
    expect([page.canWithdraw, page.message]).toEqual([false, expect.stringContaining("withdrawn")]);
    expect(logged().filter((each) => each === "withdrawn")).toHaveLength(2);
  });

  it("shows that the report's text was deleted", async () => {
    const sent = await send();
    await transaction(() => closeReport({ id: idOf(sent), decision: "remove" }));
    expect((await status(tokenOf(sent))).data.page.message).toContain("removed");
    expect(await eraseDueReports(Date.now() + 89 * DAY)).toBe(0);
    expect(await eraseDueReports(Date.now() + 91 * DAY)).toBe(1);
    const { status: code, data } = await status(tokenOf(sent));
    expect([code, data.missing]).toEqual([404, expect.stringContaining("deleted")]);
    expect((await postToReport(tokenOf(sent), { intent: "answer", message: "More" })).status).toBe(
      404,
    );
  });
});
