import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { forgetSettings } from "~/server/settings.server";
import { eraseDue, sendReportMails } from "~/trust/reports/report-mails.server";
import { closeReport, createReport, moveReport } from "~/trust/reports/report-records.server";
import { statusPath } from "~/trust/reports/status-token.server";
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

/** A mail server on this machine, by the makers of the library that sends. */
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

const report = (email = "ada@example.org") =>
  transaction(() =>
    createReport({
      ...{ id: "A".repeat(22), kind: "consent", videos: ["v"] },
      box: { name: "Ada", email, where: "here", what: "It shows me.", statements: [] },
    }),
  );
const waiting = () =>
  sqliteHandle().prepare("SELECT event, attempts FROM report_mails ORDER BY rowid").all();
/** Quoted-printable breaks lines and writes "=" in figures. */
const unquoted = (mail: string) => mail.replace(/=\r?\n/g, "").replaceAll("=3D", "=");

describe("mails to reporters", () => {
  it("say what changed, with the link and nothing of the report", async () => {
    const mails = await useMailServer();
    await report();
    await transaction(() => {
      moveReport({ id: "A".repeat(22), from: ["open"], to: "asked" });
      closeReport({ id: "A".repeat(22), decision: "remove" });
    });
    await sendReportMails();
    expect(mails.map((mail) => /^Subject: (.*)\r$/m.exec(mail)?.[1])).toEqual([
      "Afterdark: Your report was received",
      "Afterdark: A question about your report",
      "Afterdark: Your report was decided",
    ]);
    for (const mail of mails) {
      expect(mail).toContain("To: ada@example.org");
      expect(unquoted(mail)).toContain(`https://videos.example${statusPath("A".repeat(22))}`);
      expect(mail).not.toMatch(/Ada|shows me/);
    }
    expect(waiting()).toEqual([]);
    await sendReportMails();
    expect(mails).toHaveLength(3);
  });

  it("go to nobody who gave no address", async () => {
    await report("");
    expect(waiting()).toEqual([]);
  });

  it("wait for a mail server that is away, also over a restart", async () => {
    await report();
    await sendReportMails(Date.now());
    expect(waiting()).toEqual([{ event: "received", attempts: 1 }]);
    closeDatabase();
    const mails = await useMailServer();
    await sendReportMails(Date.now());
    expect(mails).toHaveLength(0);
    await sendReportMails(Date.now() + 2 * MINUTE);
    expect(mails).toHaveLength(1);
    expect(waiting()).toEqual([]);
  });

  it("wait for the secret that reads the address", async () => {
    await report();
    const secret = process.env.SESSION_SECRET ?? "";
    const mails = await useMailServer();
    set({ SESSION_SECRET: "another-secret-for-tests-of-32-letters" });
    await sendReportMails();
    expect(waiting()).toEqual([{ event: "received", attempts: 1 }]);
    set({ SESSION_SECRET: `another-secret-for-tests-of-32-letters,${secret}` });
    await sendReportMails(Date.now() + 2 * MINUTE);
    expect(mails).toHaveLength(1);
  });

  it("are not kept when the report is erased", async () => {
    await report();
    await transaction(() => closeReport({ id: "A".repeat(22), decision: "keep" }));
    expect(waiting()).toHaveLength(2);
    // After a restart, long after.
    closeDatabase();
    expect(await eraseDue(Date.now() + 91 * DAY)).toBe(1);
    expect(waiting()).toEqual([]);
    const rows = sqliteHandle().prepare("SELECT box FROM reports").pluck().all();
    expect(rows).toEqual([null]);
  });
});
