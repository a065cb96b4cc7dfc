import { beforeEach, describe, expect, it } from "vitest";
import { eraseDueReports } from "~/features/moderation/reports/report-mails.server";
import { readReportPage } from "~/features/moderation/reports/report-page.server";
import { readReport } from "~/features/moderation/reports/report-records.server";
import { readStatusToken } from "~/features/moderation/reports/status-token.server";
import { action as sendReport } from "~/features/moderation/routes/report";
import { action as decideOn } from "~/features/moderation/routes/report-decision";
import {
  loader as openStatus,
  action as sendStatus,
} from "~/features/moderation/routes/report-status";
import { isPublic } from "~/features/visibility/visibility.server";
import { forgetSettings, settings } from "~/platform/settings.server";
import { sqliteHandle } from "~db/client.server";
import { addVideo, adminCookie, useAdminSite, video, writeUpload } from "../../admin-requests";

const site = useAdminSite();
const ORIGIN = "http://localhost";
const HOST = { Origin: ORIGIN, Host: "localhost" };
let reports = 0;

async function responseOf(work: () => Promise<unknown>): Promise<Response> {
  const response = await work().catch((thrown: unknown) => thrown);
  if (response instanceof Error) throw response;
  return response as Response;
}

/** Submits the public form, each time from a different IP address. Returns the token from the status link. */
async function report(kind: string, ...videos: string[]): Promise<string> {
  reports += 1;
  const fields = {
    form: `form ${reports}`,
    name: "Ann",
    where: videos.map((id) => `${ORIGIN}/video/${id}`).join(" "),
    anyway: videos.map((id) => `${ORIGIN}/video/${id}`).join(" "),
    what: "This should not be here.",
    "statement-0": "1",
    "statement-1": "1",
  };
  const request = new Request(`${ORIGIN}/report?kind=${kind}`, {
    method: "POST",
    headers: { ...HOST, "X-Forwarded-For": `10.1.${reports >> 8}.${reports & 255}` },
    body: new URLSearchParams(fields),
  });
  const response = await responseOf(async () => sendReport({ request, params: {}, context: {} }));
  return response.headers.get("Location")?.replace("/report/", "") ?? "";
}

const idOf = (token: string) => readStatusToken(token)?.id ?? "";

/** Submits the moderator's form. Returns the status of the response. */
async function decide(token: string, decision: string, ...videos: string[]) {
  const id = idOf(token);
  const { version = "", videos: named = [] } = readReportPage(id) ?? {};
  const body = new URLSearchParams({ decision, version, reason: "Because." });
  for (const each of videos.length > 0 ? videos : named.map((one) => one.id)) {
    body.append("video", each);
  }
  const request = new Request(`${ORIGIN}/admin/reports/${id}`, {
    method: "POST",
    headers: { Cookie: adminCookie(), ...HOST },
    body,
  });
  const response = await responseOf(async () =>
    decideOn({ request, params: { id }, context: {} } as never),
  );
  return (response as { init?: ResponseInit }).init?.status ?? response.status;
}

const withdraw = (token: string) =>
  responseOf(async () =>
    sendStatus({
      request: new Request(`${ORIGIN}/report/${token}`, {
        method: "POST",
        headers: HOST,
        body: new URLSearchParams({ intent: "withdraw" }),
      }),
      params: { token },
      context: {},
    }),
  );
const choicesOf = (token: string, videoId: string) =>
  readReportPage(idOf(token))?.videos.find(({ id }) => id === videoId)?.choices;
/** Makes the reports unreadable, as replacing SESSION_SECRET would. */
const makeUnreadable = () =>
  sqliteHandle().exec(
    "UPDATE reports SET payload = substr(payload, 1, length(payload) - 6) || 'AAAAAA'",
  );

beforeEach(() => {
  process.env.PUBLIC_URL = ORIGIN;
  forgetSettings();
  for (const id of ["v", "w", "x"]) {
    writeUpload(site.uploads, `videos/u/${id}.mp4`);
    addVideo({ id, status: "published", video_url: `/media/videos/u/${id}.mp4` });
  }
});

describe("a video with several reports", () => {
  it("stays hidden until the other report is decided too", async () => {
    const underAge = await report("under-age", "x", "v");
    const consent = await report("consent", "v");
    expect(await decide(consent, "keep")).toBe(302);
    expect(isPublic("v")).toBe(false);
    expect(await decide(underAge, "keep")).toBe(302);
    expect(["v", "x"].map(isPublic)).toEqual([true, true]);
  });

  it("stays hidden until both reports are decided, even if the earlier one is decided first", async () => {
    const underAge = await report("under-age", "x", "v");
    const consent = await report("consent", "v");
    await decide(underAge, "keep");
    expect(["v", "x"].map(isPublic)).toEqual([false, true]);
    await decide(consent, "keep");
    expect(isPublic("v")).toBe(true);
  });

  it("stays hidden if a moderator also hid it because of another report", async () => {
    const consent = await report("consent", "v");
    const copyright = await report("copyright", "w", "v");
    await decide(copyright, "hide", "v");
    await decide(consent, "keep");
    expect(isPublic("v")).toBe(false);
    await decide(copyright, "keep");
    expect(isPublic("v")).toBe(true);
  });

  it("is linked from each report's page to the other report", async () => {
    const underAge = await report("under-age", "x", "v");
    const consent = await report("consent", "v");
    for (const [one, other] of [
      [consent, underAge],
      [underAge, consent],
    ] as const) {
      expect(readReportPage(idOf(one))?.earlier).toMatchObject([
        { id: idOf(other), isOfVideo: true },
      ]);
    }
  });

  it("still has to be reviewed if the second report to hide it is withdrawn", async () => {
    await report("consent", "v");
    const underAge = await report("under-age", "v");
    await withdraw(underAge);
    expect(readReport(idOf(underAge))).toMatchObject({ state: "open", decision: "withdrawn" });
  });

  it("still has to be reviewed if the first report is withdrawn", async () => {
    const underAge = await report("under-age", "v");
    const copyright = await report("copyright", "v");
    await decide(copyright, "hide");
    await withdraw(underAge);
    expect(readReport(idOf(underAge))?.state).toBe("open");
  });

  it("is restored only after every decision to remove it has been reversed", async () => {
    const [first, second] = [await report("consent", "v"), await report("private", "v")];
    expect(await decide(first, "remove")).toBe(302);
    expect(choicesOf(second, "v")).toEqual(["keep", "remove"]);
    expect(await decide(second, "restore")).toBe(422);
    expect(await decide(second, "remove")).toBe(302);
    expect(readReport(idOf(second))).toMatchObject({ state: "closed", decision: "remove" });
    expect(await decide(second, "restore")).toBe(302);
    expect(video("v")).toBeUndefined();
    expect(await decide(first, "restore")).toBe(302);
    expect(isPublic("v")).toBe(true);
  });

  it("stays removed if the decision on a second report is to keep it", async () => {
    const [first, second] = [await report("consent", "v"), await report("consent", "v")];
    await decide(first, "remove");
    expect(await decide(second, "keep")).toBe(302);
    expect(readReport(idOf(second))?.state).toBe("closed");
    expect(video("v")).toBeUndefined();
  });

  it("can be restored on the page of a report whose text was deleted", async () => {
    const token = await report("under-age", "v", "w");
    await decide(token, "remove");
    await eraseDueReports(Date.now() + settings().reportKeepMs + 1_000);
    expect(readReport(idOf(token))?.payload).toBeNull();
    expect(await decide(token, "restore")).toBe(302);
    expect(["v", "w"].map(isPublic)).toEqual([true, true]);
  });

  it("can be kept on the page of a report whose text can't be decrypted", async () => {
    const token = await report("under-age", "v", "w");
    makeUnreadable();
    expect(await decide(token, "keep")).toBe(302);
    expect(["v", "w"].map(isPublic)).toEqual([true, true]);
  });

  it("can be kept after another video in the same report was removed", async () => {
    const token = await report("under-age", "v", "w");
    await decide(token, "remove", "v");
    expect(isPublic("w")).toBe(false);
    expect(readReport(idOf(token))).toMatchObject({ state: "open" });
    expect(choicesOf(token, "v")).toEqual(["restore", "counter-notice"].reverse());
    expect(choicesOf(token, "w")).toEqual(["hide", "keep", "remove"]);
    expect(await decide(token, "keep", "w")).toBe(302);
    expect(isPublic("w")).toBe(true);
    expect(readReport(idOf(token))).toMatchObject({ state: "closed", decision: "remove" });
    await decide(token, "restore", "v");
    expect(isPublic("v")).toBe(true);
  });

  it("is still shown to the reporter after the report can't be decrypted anymore", async () => {
    const token = await report("consent", "v", "w");
    makeUnreadable();
    const request = new Request(`${ORIGIN}/report/${token}`);
    const response = await openStatus({ request, params: { token }, context: {} });
    expect(JSON.stringify(response)).toMatch(/"videos":\[{"id":"v".+},{"id":"w"/);
  });
});
