import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import {
  eraseDueReports,
  sendReportEmails,
} from "~/features/moderation/reports/report-mails.server";
import {
  closeReport,
  createReport,
  moveReport,
} from "~/features/moderation/reports/report-records.server";
import { statusPath } from "~/features/moderation/reports/status-token.server";
import { loader as openStatus } from "~/features/moderation/routes/report-status";
import { forgetSettings } from "~/platform/settings.server";
import { closeDatabase, sqliteHandle, transaction } from "~db/client.server";
import { useTemporarySite } from "../../temporary-site";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite({
    SMTP_URL: "smtp://127.0.0.1:1",
    SMTP_FROM: "site@example.org",
    PUBLIC_URL: "https://videos.example",
  });
});
afterEach(() => site.remove());

function set(environment: Record<string, string>): void {
  Object.assign(process.env, environment);
  forgetSettings();
}

/** Starts a local mail server, using a library by the authors of nodemailer. */
async function useMailServer(): Promise<string[]> {
  const mails: string[] = [];
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    authOptional: true,
    onData(stream, _, done) {
      let mail = "";
      stream.on("data", (chunk) => {
        mail += chunk;
      });
      stream.on("end", () => {
        mails.push(mail);
        done();
      });
    },
  });
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  set({ SMTP_URL: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}` });
  return mails;
}

let lastRecipient = 0;
/** Returns a new email address for each test, because the limits still apply after a test ends. */
const freshAddress = () => `ada${++lastRecipient}@example.org`;

const report = (email = freshAddress(), id = "A".repeat(22)) =>
  transaction(() =>
    createReport({
      ...{ id, kind: "consent", videos: ["v"] },
      payload: { name: "Ada", email, where: "here", what: "It shows me.", statements: [] },
    }),
  );
/** Opens a status link in a browser. */
async function open(path: string, method = "GET"): Promise<Response | object> {
  const token = path.replace(/^.*\/report\//, "");
  const request = new Request(`https://videos.example/report/${token}`, { method });
  return openStatus({ request, params: { token }, context: {} } as never);
}
const waiting = () =>
  sqliteHandle().prepare("SELECT event, attempts FROM outbox ORDER BY rowid").all();
/** Returns the status link in an email. */
const linkIn = (mail = "") => /https:\/\/videos\.example\/report\/\S+/.exec(unquoted(mail))![0];
/** Decodes quoted-printable text, which breaks lines and encodes "=". */
const unquoted = (mail: string) => mail.replace(/=\r?\n/g, "").replaceAll("=3D", "=");

describe("emails to reporters", () => {
  it("say what changed, with the link but without the report's text", async () => {
    const mails = await useMailServer();
    const address = freshAddress();
    await report(address);
    await sendReportEmails();
    expect(unquoted(mails[0]!)).toContain("once this link has been opened");
    await open(linkIn(mails[0]));
    await transaction(() => {
      moveReport({ id: "A".repeat(22), from: ["open"], to: "asked" });
      closeReport({ id: "A".repeat(22), decision: "remove" });
    });
    await sendReportEmails();
    expect(mails.map((mail) => /^Subject: (.*)\r$/m.exec(mail)?.[1])).toEqual([
      "Afterdark: Your report was received",
      "Afterdark: A question about your report",
      "Afterdark: We reviewed your report",
    ]);
    for (const mail of mails) {
      expect(mail).toContain(`To: ${address}`);
      expect(linkIn(mail)).toBe(`https://videos.example${statusPath("A".repeat(22), "email")}`);
      expect(mail).not.toMatch(/Ada|shows me/);
    }
    expect(unquoted(mails[1]!)).not.toContain("once this link has been opened");
    expect(waiting()).toEqual([]);
    await sendReportEmails();
    expect(mails).toHaveLength(3);
  });

  it("aren't sent without an email address", async () => {
    await report("");
    expect(waiting()).toEqual([]);
  });

  it("wait for an unavailable mail server, even across a restart", async () => {
    await report();
    await sendReportEmails(Date.now());
    expect(waiting()).toEqual([{ event: "received", attempts: 1 }]);
    closeDatabase();
    const mails = await useMailServer();
    await sendReportEmails(Date.now());
    expect(mails).toHaveLength(0);
    await sendReportEmails(Date.now() + 2 * MINUTE);
    expect(mails).toHaveLength(1);
    expect(waiting()).toEqual([]);
  });

  it("wait for the secret that decrypts the address", async () => {
    await report();
    const secret = process.env.SESSION_SECRET ?? "";
    const mails = await useMailServer();
    set({ SESSION_SECRET: "another-secret-for-tests-of-32-letters" });
    await sendReportEmails();
    expect(waiting()).toEqual([{ event: "received", attempts: 1 }]);
    set({ SESSION_SECRET: `another-secret-for-tests-of-32-letters,${secret}` });
    await sendReportEmails(Date.now() + 2 * MINUTE);
    expect(mails).toHaveLength(1);
  });

  it("are deleted when the report is erased", async () => {
    await report();
    await transaction(() => closeReport({ id: "A".repeat(22), decision: "keep" }));
    expect(waiting()).toHaveLength(2);
    // Simulates a restart, followed by a long time.
    closeDatabase();
    expect(await eraseDueReports(Date.now() + 91 * DAY)).toBe(1);
    expect(waiting()).toEqual([]);
    const rows = sqliteHandle().prepare("SELECT payload FROM reports").pluck().all();
    expect(rows).toEqual([null]);
  });
});

describe("an email address that anyone may have entered", () => {
  const idOf = (n: number) => String(n).padStart(22, "B");
  const sendQuestion = (n: number) =>
    transaction(() => moveReport({ id: idOf(n), from: ["open"], to: "asked" }));
  const pageOf = async (path: string) => {
    const { page } = (await open(path)) as { page: { isLinkUnopened: boolean } };
    return page;
  };

  it("gets only one first email a day, regardless of the address's spelling and the number of reports", async () => {
    const mails = await useMailServer();
    for (const [n, address] of [
      ...["stranger@example.org", "Stranger@EXAMPLE.org", "stranger+1@example.org"],
      ...["s.tran.ger@example.org", "stranger@example.org", "STRANGER+2+3@example.org"],
    ].entries()) {
      await report(address, idOf(n));
    }
    await sendReportEmails();
    expect(mails).toHaveLength(1);
    expect(waiting()).toEqual([]);
    await report("stranger@example.org", idOf(10));
    await report("another@example.org", idOf(11));
    await sendReportEmails(Date.now() + DAY - MINUTE);
    expect(mails.map((mail) => /^To: (.*)\r$/m.exec(mail)?.[1])).toEqual([
      "stranger@example.org",
      "another@example.org",
    ]);
    await report("stranger@example.org", idOf(12));
    await sendReportEmails(Date.now() + DAY + MINUTE);
    expect(mails).toHaveLength(3);
  });

  it("doesn't get another email about a report until the link in the first email has been opened", async () => {
    const mails = await useMailServer();
    await report(freshAddress(), idOf(1));
    await sendReportEmails();
    expect(mails).toHaveLength(1);
    // The person who sent the form already has this link, and mail scanners open the link in the email.
    expect((await pageOf(statusPath(idOf(1)))).isLinkUnopened).toBe(true);
    await open(linkIn(mails[0]), "HEAD");
    await sendQuestion(1);
    await sendReportEmails(Date.now() + 3 * DAY);
    expect(mails).toHaveLength(1);
    expect(waiting()).toEqual([]);

    expect((await pageOf(linkIn(mails[0]))).isLinkUnopened).toBe(false);
    // Simulates a restart, followed by a long time.
    closeDatabase();
    await transaction(() => closeReport({ id: idOf(1), decision: "keep" }));
    await sendReportEmails(Date.now() + 9 * DAY);
    expect(mails).toHaveLength(2);
  });

  it("gets emails about other reports once a link has been opened, but at most fifty a day", async () => {
    const mails = await useMailServer();
    const address = freshAddress();
    await report(address, idOf(1));
    await report(address, idOf(2));
    await sendReportEmails();
    await open(linkIn(mails[0]));
    await sendQuestion(2);
    for (let n = 3; n < 80; n++) await report(address, idOf(n));
    for (let batch = 0; batch < 5; batch++) await sendReportEmails();
    expect(mails).toHaveLength(50);
    expect(mails[1]).toContain("Subject: Afterdark: A question about your report");
  });

  it("isn't confirmed by the owner of a similar address", async () => {
    const mails = await useMailServer();
    await report("v.ictim@example.org", idOf(1));
    await sendReportEmails();
    await open(linkIn(mails[0]));
    for (const n of [2, 3, 4]) await report("victim@example.org", idOf(n));
    await sendReportEmails();
    expect(mails).toHaveLength(1);
  });

  it("is stored only in encrypted form", async () => {
    const mails = await useMailServer();
    await report("secret.person@example.org");
    await sendReportEmails();
    await open(linkIn(mails[0]));
    const rows = sqliteHandle().prepare("SELECT * FROM reports").all();
    expect(JSON.stringify(rows)).not.toMatch(/secret|person|example\.org/);
    expect(rows).toMatchObject([{ mail_link: "opened" }]);
    await transaction(() => closeReport({ id: "A".repeat(22), decision: "keep" }));
    await eraseDueReports(Date.now() + 91 * DAY);
    expect(sqliteHandle().prepare("SELECT mail_link FROM reports").pluck().all()).toEqual([null]);
  });
});
