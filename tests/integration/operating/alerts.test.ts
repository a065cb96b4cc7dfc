import { once } from "node:events";
import fs from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { sendReportEmails } from "~/features/moderation/reports/report-mails.server";
import { raiseAlert, readAlertsPage } from "~/features/operations/alerts/alert-records.server";
import { checkAlerts } from "~/features/operations/alerts/check-alerts.server";
import { deliverDue, sendWebhook } from "~/features/operations/alerts/deliver.server";
import { action, loader } from "~/features/operations/routes/alerts";
import { listActivities } from "~/platform/activity/activity.server";
import { sendEmail } from "~/platform/mail/email.server";
import { forgetSettings, parseSettings } from "~/platform/settings.server";
import { closeDatabase, sqliteHandle } from "~db/client.server";
import { addVideo, adminCookie, expectSuccessOf, useAdminSite } from "../../admin-requests";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const site = useAdminSite();
beforeEach(() => set({ ENCODER_FREE_BYTES: "0" }));

function set(environment: Record<string, string>): void {
  Object.assign(process.env, environment);
  forgetSettings();
}

interface Received {
  headers: http.IncomingHttpHeaders;
  body: string;
}

/** Starts a webhook receiver on this machine. `respond` handles each request. */
async function receiver(respond: (response: http.ServerResponse, count: number) => void) {
  const received: Received[] = [];
  const server = http.createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      received.push({ headers: request.headers, body });
      respond(response, received.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a-token-in-the-path`;
  return { url, received };
}

const accept = (response: http.ServerResponse) => response.writeHead(204).end();

async function useWebhook(respond: Parameters<typeof receiver>[0] = accept) {
  const { url, received } = await receiver(respond);
  set({ ALERT_WEBHOOK: url, ALERT_WEBHOOK_SECRET: SECRET });
  return received;
}

/** Starts a mail server on this machine. The server uses a library by the authors of the site's mail library. */
async function mailServer(
  options: ConstructorParameters<typeof SMTPServer>[0] = {},
): Promise<{ port: number; mails: string[] }> {
  const mails: string[] = [];
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    allowInsecureAuth: true,
    authOptional: true,
    onAuth: ({ username, password }, _, done) =>
      username === "operator" && password === "pass:word/1"
        ? done(null, { user: username })
        : done(new Error("The password pass:word/1 is wrong")),
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
    ...options,
  });
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return { port: (server.server.address() as AddressInfo).port, mails };
}

const alerts = async () =>
  (await readAlertsPage()).last.map(({ kind, resolvedAt }) => [kind, resolvedAt !== null]);
const addBackup = (state: string, startedAt: string, reason: string | null = null) =>
  sqliteHandle()
    .prepare("INSERT INTO backups (state, reason, started_at) VALUES (?, ?, ?)")
    .run(state, reason, startedAt);
/** Checks the alerts as if the site had been running for a day. */
const check = (now = Date.now()) => checkAlerts(now, DAY);

/** Returns the function that the documentation shows for verifying messages. */
async function documented(): Promise<
  (headers: http.IncomingHttpHeaders, body: string, secret: string) => boolean
> {
  const text = fs.readFileSync("docs/how-to/monitor.md", "utf8");
  const [, code = ""] = /```js\n([\s\S]*?)```/.exec(text) ?? [];
  const module = `data:text/javascript,${encodeURIComponent(code)}`;
  return (await import(/* @vite-ignore */ module)).isFromTheSite;
}

describe("an alert", () => {
  it("is sent once for each cause, and another message is sent when the cause is resolved", async () => {
    const received = await useWebhook();
    const types = () => received.map(({ body }) => JSON.parse(body).type);
    set({ BACKUP_DIR: site.folder });
    addBackup("failed", new Date().toISOString(), "There is not enough room.");
    for (let minute = 0; minute < 3; minute++) {
      await check();
      await deliverDue();
    }
    expect(types()).toEqual(["alert.raised"]);
    expect(JSON.parse(received[0]!.body).data).toMatchObject({
      kind: "backup-failed",
      message: "A backup failed: There is not enough room.",
      site: "Afterdark",
    });
    addBackup("done", new Date().toISOString());
    await check();
    await deliverDue();
    await check();
    await deliverDue();
    expect(types()).toEqual(["alert.raised", "alert.resolved"]);
    expect(await alerts()).toEqual([["backup-failed", true]]);
    const [first, second] = received.map(({ body }) => JSON.parse(body).data.alert);
    expect(first).toBe(second);
  });

  it("stays open while the disk is almost full, and is resolved only once there is clearly enough space", async () => {
    const free = fs.statfsSync(site.uploads);
    const bytes = free.bavail * free.bsize;
    const check = async (share: number) => {
      set({ ENCODER_FREE_BYTES: String(Math.floor(bytes * share)) });
      await checkAlerts();
      return await alerts();
    };
    expect(await check(0.1)).toEqual([]);
    expect(await check(0.6)).toEqual([["disk", false]]);
    expect(await check(0.45)).toEqual([["disk", false]]);
    expect(await check(0.1)).toEqual([["disk", true]]);
    expect((await readAlertsPage()).last[0]!.message).toMatch(/almost full: [\d.]+[GT]B free/);
  });

  it("is raised when the last verified backup is older than twice the backup interval, but not right after startup", async () => {
    set({ BACKUP_DIR: site.folder, BACKUP_EVERY: "1d" });
    const now = Date.parse("2026-01-31T12:00:00.000Z");
    addBackup("done", "2026-01-29T13:00:00.000Z");
    await check(now);
    expect(await alerts()).toEqual([]);
    await checkAlerts(now + DAY, MINUTE);
    expect(await alerts()).toEqual([]);
    await check(now + DAY);
    expect((await readAlertsPage()).last).toMatchObject([
      {
        kind: "backup-old",
        message: "There has been no verified backup since 2026-01-29 13:00 UTC.",
      },
    ]);
    addBackup("done", "2026-02-01T11:00:00.000Z");
    await check(now + DAY);
    expect(await alerts()).toEqual([["backup-old", true]]);
  });

  it("can cover several failed jobs, and is resolved once all of them have been retried or deleted", async () => {
    const now = Date.parse("2026-01-31T12:00:00.000Z");
    const at = (minutes: number) => new Date(now + minutes * MINUTE).toISOString();
    const fail = (video: string, minutes: number) => {
      addVideo({ id: video, title: `Video ${video}` });
      sqliteHandle()
        .prepare(
          "INSERT INTO jobs (video_id, kind, priority, state, finished_at) VALUES (?, 'poster', 1, 'failed', ?)",
        )
        .run(video, at(minutes));
    };
    fail("a", -5);
    fail("b", -4);
    await check(now);
    const [first] = (await readAlertsPage()).last;
    expect(first!.message).toBe(
      "2 jobs failed, most recently for “Video b”, “Video a”. See the Processing page.",
    );
    fail("c", 1);
    await check(now + 2 * MINUTE);
    expect(await alerts()).toEqual([["jobs", false]]);
    await check(now + 20 * MINUTE);
    expect(await alerts()).toEqual([
      ["jobs", false],
      ["jobs", false],
    ]);
    sqliteHandle().exec("UPDATE jobs SET state = 'waiting' WHERE video_id IN ('a', 'c')");
    await check(now + 21 * MINUTE);
    expect(await alerts()).toEqual([
      ["jobs", true],
      ["jobs", false],
    ]);
    sqliteHandle().exec("DELETE FROM jobs");
    await check(now + 22 * MINUTE);
    expect(await alerts()).toEqual([
      ["jobs", true],
      ["jobs", true],
    ]);
  });

  it("is deleted once there are 500 newer alerts", async () => {
    for (let count = 0; count < 503; count++) {
      await raiseAlert({ kind: "test", message: "A test." }, count * MINUTE);
    }
    const kept = sqliteHandle()
      .prepare("SELECT count(*) AS alerts, min(raised_at) AS oldest FROM alerts")
      .get();
    expect(kept).toEqual({ alerts: 500, oldest: new Date(3 * MINUTE).toISOString() });
  }, 30_000);
});

describe("a webhook", () => {
  it("has a signature that can be verified with the function from the documentation", async () => {
    const received = await useWebhook();
    await raiseAlert({ kind: "test", message: "A test." });
    await deliverDue();
    const [{ headers, body }] = received as [Received];
    const isFromTheSite = await documented();
    expect(headers["content-type"]).toBe("application/json");
    expect(isFromTheSite(headers, body, SECRET)).toBe(true);
    expect(isFromTheSite(headers, body.replace("test", "best"), SECRET)).toBe(false);
    expect(isFromTheSite(headers, body, SECRET.replace("M", "N"))).toBe(false);
    const old = {
      ...headers,
      "webhook-timestamp": String(Number(headers["webhook-timestamp"]) - 301),
    };
    expect(isFromTheSite(old, body, SECRET)).toBe(false);
  });

  it("is retried with the same ID until it is delivered, even after a restart", async () => {
    const received = await useWebhook((response, count) =>
      response.writeHead(count < 3 ? 500 : 200).end(),
    );
    const now = Date.now();
    await raiseAlert({ kind: "test", message: "A test." }, now);
    await deliverDue(now);
    await deliverDue(now + 59_000);
    expect(received).toHaveLength(1);
    const [alert] = (await readAlertsPage()).last;
    expect(alert!.deliveries).toMatchObject([
      { attempts: 1, reason: "The webhook responded with 500." },
    ]);
    closeDatabase();
    await deliverDue(now + MINUTE);
    await deliverDue(now + 6 * MINUTE);
    await deliverDue(now + DAY);
    expect(received).toHaveLength(3);
    expect(new Set(received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect((await readAlertsPage()).last).toMatchObject([
      {
        deliveries: [{ attempts: 3, deliveredAt: expect.any(String), nextAt: null, reason: null }],
      },
    ]);
  });

  it("isn't delayed while emails to reporters wait for a mail server", async () => {
    const received = await useWebhook();
    sqliteHandle().exec(`
      INSERT INTO reports (id, kind, received_at, due_at) VALUES ('r', 'other', '2000', '2000');
      WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 50)
      INSERT INTO outbox (id, report_id, event, channel, next_at)
        SELECT n, 'r', 'message', 'email', '2000' FROM numbers`);
    await raiseAlert({ kind: "test", message: "A test." });
    await Promise.all([sendReportEmails(), deliverDue()]);
    expect(received).toHaveLength(1);
    const waiting = sqliteHandle().prepare(
      "SELECT sum(next_at = '2000' AND attempts = 0) FROM outbox",
    );
    expect(waiting.pluck().get()).toBe(50);
  });

  it("is abandoned if it hasn't been delivered after a day and a half", async () => {
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    onTestFinished(() => log.mockRestore());
    const received = await useWebhook((response) => response.writeHead(404).end());
    const now = Date.now();
    await raiseAlert({ kind: "test", message: "A test." }, now);
    for (let hour = 0; hour < 60; hour++) await deliverDue(now + hour * 60 * MINUTE);
    expect(received.length).toBe(9);
    expect(log).toHaveBeenCalledOnce();
    expect(log.mock.calls.join()).not.toContain("a-token-in-the-path");
  });

  it("doesn't follow redirects, times out, and doesn't read the response body", async () => {
    const target = await receiver(accept);
    const message = { id: "msg_1", body: "{}" };
    const away = await receiver((response) =>
      response.writeHead(302, { Location: target.url }).end(),
    );
    await expect(sendWebhook(away.url, SECRET, message)).rejects.toThrow(
      "The webhook responded with 302.",
    );
    expect(target.received).toEqual([]);

    const silent = await receiver(() => {});
    await expect(sendWebhook(silent.url, SECRET, message, { timeoutMs: 200 })).rejects.toThrow(
      "didn't respond within",
    );

    let isClosed = false;
    const endless = await receiver((response) => {
      response.writeHead(200);
      const more = () => {
        while (response.write("x".repeat(65_536)));
      };
      response.on("drain", more).on("close", () => {
        isClosed = true;
      });
      more();
    });
    await sendWebhook(endless.url, SECRET, message);
    await vi.waitFor(() => expect(isClosed).toBe(true));
    const closed = http.createServer().listen(0, "127.0.0.1");
    await once(closed, "listening");
    const { port } = closed.address() as AddressInfo;
    closed.close();
    await expect(sendWebhook(`http://127.0.0.1:${port}/`, SECRET, message)).rejects.toThrow(
      "The webhook can't be reached (ECONNREFUSED).",
    );
  });
});

describe("an email", () => {
  const useMail = (port: number, login = "operator:pass%3Aword%2F1@") =>
    set({
      SMTP_URL: `smtp://${login}127.0.0.1:${port}`,
      ALERT_EMAIL: "me@example.com",
      SMTP_FROM: "site@example.com",
    });

  it("arrives as plain text with the sender and recipients from the settings", async () => {
    const { port, mails } = await mailServer();
    useMail(port);
    set({ PUBLIC_URL: "https://videos.example" });
    await raiseAlert({ kind: "disk", message: "The disk is nearly full." });
    await deliverDue();
    expect(mails).toHaveLength(1);
    const [mail = ""] = mails;
    for (const line of [
      "From: site@example.com",
      "To: me@example.com",
      "Subject: Afterdark: Action required: disk almost full",
      "Content-Type: text/plain; charset=utf-8",
      "The disk is nearly full.",
      "https://videos.example/admin/alerts",
    ]) {
      expect(mail.split("\r\n")).toContain(line);
    }
    expect((await readAlertsPage()).last).toMatchObject([
      { deliveries: [{ channel: "email", deliveredAt: expect.any(String) }] },
    ]);
  });

  it("isn't vulnerable to header injection through the site's name or the message", async () => {
    const { port, mails } = await mailServer();
    useMail(port, "");
    set({ SITE_NAME: "A\r\nBcc: you@example.com\r\n\r\nX" });
    await raiseAlert({
      kind: "disk",
      message: "One\r\nBcc: they@example.com\r\n.\r\nMAIL FROM:<x>",
    });
    await deliverDue();
    expect(mails).toHaveLength(1);
    const [head = "", ...text] = mails[0]!.split("\r\n\r\n");
    expect(head).not.toMatch(/^Bcc:/m);
    expect(head.replaceAll(/\r\n\s+/g, " ")).toContain("Subject: A Bcc: you@example.com X");
    expect(text.join("")).toContain("they@example.com");
  });

  it("is retried if the server rejects it, without storing the server's response", async () => {
    const { port } = await mailServer();
    useMail(port, "operator:wrong@");
    await raiseAlert({ kind: "disk", message: "The disk is nearly full." });
    await deliverDue();
    const [alert] = (await readAlertsPage()).last;
    expect(alert!.deliveries).toMatchObject([
      {
        attempts: 1,
        nextAt: expect.any(String),
        reason: "The mail server rejected the message (EAUTH 535).",
      },
    ]);
  });

  it("isn't sent unencrypted to another machine", async () => {
    const { port, mails } = await mailServer();
    // One of the machine's addresses that isn't a loopback address.
    const send = sendEmail(
      `smtp://operator:secret@0.0.0.0:${port}`,
      { from: "a@example.com", to: "b@example.com" },
      { id: "msg_1", subject: "A subject", text: "A text" },
    );
    await expect(send).rejects.toThrow("The mail server rejected the message (ETLS");
    expect(mails).toEqual([]);
  });
});

describe("the alert settings", () => {
  const good = { ALERT_WEBHOOK_SECRET: SECRET, SMTP_URL: "smtps://u:p@mail.example" };

  it.each([
    ["ALERT_WEBHOOK", "http://hooks.example/x"],
    ["ALERT_WEBHOOK", "https://user:password@hooks.example/x"],
    ["ALERT_WEBHOOK", "ftp://hooks.example"],
    ["ALERT_WEBHOOK_SECRET", "short"],
    ["ALERT_EMAIL", "me@example.com, you@example.com"],
    ["ALERT_EMAIL", "me@example.com\nBcc: you@example.com"],
    ["SMTP_URL", "https://mail.example"],
    ["SMTP_URL", "smtp://u:%zz@mail.example"],
    ["SMTP_FROM", "nobody"],
  ])("reject %s=%j", (name, value) => {
    expect(() => parseSettings({ ...good, [name]: value })).toThrow(new RegExp(`^${name} must be`));
  });

  it.each([
    ["ALERT_WEBHOOK", "https://hooks.example/x", "ALERT_WEBHOOK_SECRET"],
    ["ALERT_EMAIL", "me@example.com", "SMTP_URL"],
  ])("reject %s=%s if %s isn't set", (name, value, needed) => {
    expect(() => parseSettings({ [name]: value })).toThrow(`${name} needs ${needed}`);
    expect(() => parseSettings({ ...good, [name]: value })).not.toThrow();
  });

  it("allow http URLs on this machine", () => {
    for (const host of ["localhost:1", "127.0.0.1", "[::1]:80"]) {
      parseSettings({ ...good, ALERT_WEBHOOK: `http://${host}/x` });
    }
  });
});

describe("the alerts page", () => {
  const ORIGIN = "http://localhost";
  const send = () => {
    const request = new Request(`${ORIGIN}/admin/alerts`, {
      method: "POST",
      body: new URLSearchParams({ intent: "test" }),
      headers: { Cookie: adminCookie(), Origin: ORIGIN, Host: "localhost" },
    });
    return action({ request, params: {}, context: {} });
  };
  const page = () => {
    const request = new Request(`${ORIGIN}/admin/alerts`, { headers: { Cookie: adminCookie() } });
    return loader({ request, params: {}, context: {} });
  };

  it("sends a test alert, shows its delivery, and doesn't reveal secrets", async () => {
    const received = await useWebhook();
    const { toast } = await expectSuccessOf(send);
    expect(toast.description).toContain("Test sent.");
    await vi.waitFor(async () =>
      expect((await page()).last).toMatchObject([
        { kind: "test", deliveries: [{ event: "test", deliveredAt: expect.any(String) }] },
      ]),
    );
    expect(JSON.parse(received[0]!.body).type).toBe("alert.test");
    const shown = JSON.stringify(await page());
    expect(shown).toContain("127.0.0.1");
    expect(shown).not.toContain("a-token-in-the-path");
    expect(shown).not.toContain(SECRET);
    expect(await listActivities()).toMatchObject([{ action: "alert-test", email: "a@b.c" }]);
  });

  it("can't send a test alert if no channel is configured", async () => {
    expect(await page()).toEqual({ targets: [], last: [] });
    const result = (await send()) as unknown as { init: { status: number } };
    expect(result.init.status).toBe(409);
    expect((await page()).last).toEqual([]);
  });
});
