import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import Sqlite from "better-sqlite3";
import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rawRequest } from "../../raw-request";
import { MULTIPART, multipartParts, openRequest, sendRequest, signInTo } from "../../site-client";
import { SiteProcess } from "../../site-process";
import { filesIn } from "../../upload-requests";

/**
 * Tests performers' documents on a separate site: which files are written, how the site responds, and which data
 * remains after a failure.
 */

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const SECRET = "a secret of the tests of more than 32 characters";
const OTHER_SECRET = "the secret of another site also of more than 32";
const MIB = 1024 * 1024;

/** Text that must not be stored outside the process. Each string is long enough that it can't occur by chance. */
const MARKS = {
  legalName: "Erika Marked Mustermann",
  dateOfBirth: "1987-06-15",
  content: "marked-face-of-the-document",
  fileName: "marked-passport-scan",
};
const STAGE_NAME = "Stage Name In The Clear";
const PDF = Buffer.concat([Buffer.from("%PDF-1.7\n"), Buffer.alloc(300_000, MARKS.content)]);
const LONG_PDF = Buffer.concat([Buffer.from("%PDF-1.7\n"), Buffer.alloc(8 * MIB, MARKS.content)]);

// A file size limit makes writes fail as they would on a full disk.
const site = new SiteProcess({ SESSION_SECRET: SECRET, REQUIRE_CONSENT: "on", FULL: "no" }, [
  "sh",
  "-c",
  'if [ "$FULL" = yes ]; then trap "" XFSZ; ulimit -f 8192; fi; exec "$0" "$@"',
]);
const backup = path.join(site.folder, "backup");
let cookie: string;
let performer: string;

beforeAll(async () => {
  await site.start();
  cookie = await signInTo(site);
  const texts = {
    ...{ intent: "save", stageNames: STAGE_NAME, legalName: MARKS.legalName },
    ...{ dateOfBirth: MARKS.dateOfBirth, documentKind: "passport", checkedOn: "2026-01-01" },
  };
  const saved = await form("/admin/consent/new", texts);
  performer = String(saved.headers.location).split("/").at(-1)!;
});
afterAll(() => site.remove());

function form(url: string, texts: Record<string, string>, headers: Record<string, string> = {}) {
  const urlencoded = { "Content-Type": "application/x-www-form-urlencoded", Cookie: cookie };
  const body = new URLSearchParams(texts).toString();
  return sendRequest(site, "POST", url, { ...urlencoded, ...headers }, body);
}

const parts = multipartParts({ intent: "add-document", kind: "identity" }, "document");
const head = parts.before.replace("clip.mp4", `${MARKS.fileName}.pdf`);
const url = () => `/admin/consent/${performer}`;
const beginDocument = (headers: Record<string, string> = {}) =>
  openRequest(site, "POST", url(), { ...MULTIPART, Cookie: cookie, ...headers });
const addDocument = (content: Buffer) =>
  sendRequest(
    site,
    "POST",
    url(),
    { ...MULTIPART, Cookie: cookie },
    Buffer.concat([Buffer.from(head), content, Buffer.from(parts.after)]),
  );
const documents = () => column("SELECT id FROM performer_documents");
const open = (document: string, headers: Record<string, string> = {}) =>
  form(`${url()}/documents/${document}`, {}, headers);

/** Runs a query on a new connection, because a restore replaces the database file. */
function column(query: string, ...values: string[]): string[] {
  const sqlite = new Sqlite(site.databasePath, { readonly: true });
  try {
    return sqlite
      .prepare(query)
      .pluck()
      .all(...values) as string[];
  } finally {
    sqlite.close();
  }
}

/** Returns the next page, which shows the toast. */
async function toastAfter(response: { headers: { "set-cookie"?: string[] } }): Promise<string> {
  const given = (response.headers["set-cookie"] ?? []).map((each) => each.split(";")[0]);
  return (await sendRequest(site, "GET", url(), { Cookie: [cookie, ...given].join("; ") })).body;
}

/** Returns every file in the site's folder that contains the text, including the database and the backup. */
function filesWith(text: string): string[] {
  return filesIn(site.folder).filter((name) =>
    fs.readFileSync(path.join(site.folder, name)).includes(text),
  );
}

function marksFound(): Record<string, string[]> {
  const found = Object.entries(MARKS).map(([name, mark]) => [
    name,
    [...filesWith(mark), ...(site.log.includes(mark) ? ["log"] : [])],
  ]);
  return Object.fromEntries(found.filter(([, places]) => places!.length > 0));
}

/** Starts sending a document, and waits until part of it is on the disk. */
async function sendHalf() {
  const request = beginDocument({ "Content-Length": String(head.length + LONG_PDF.length + 30) });
  await request.send(head);
  await request.send(LONG_PDF.subarray(0, 4 * MIB));
  const temporary = path.join(site.uploads, "tmp");
  const written = () => filesIn(temporary).map((name) => fs.statSync(path.join(temporary, name)));
  await expect.poll(() => written()[0]?.size ?? 0).toBeGreaterThan(MIB);
  return request;
}

describe("an interrupted document upload", () => {
  it("is encrypted on disk, and leaves no files behind once the client has disconnected", async () => {
    const { request } = await sendHalf();
    expect(marksFound()).toEqual({});
    request.destroy();
    await expect.poll(() => filesIn(site.uploads)).toEqual([]);
    expect(documents()).toEqual([]);
  });

  it("leaves no readable data behind if the process is killed, and its file is removed at a startup an hour later", async () => {
    const { response } = await sendHalf();
    await site.stop("SIGKILL");
    await expect(response).rejects.toThrow();
    const [half, ...more] = filesIn(site.uploads);
    expect(more).toEqual([]);
    expect(marksFound()).toEqual({});
    const hourAgo = Date.now() / 1000 - 3_601;
    fs.utimesSync(path.join(site.uploads, half!), hourAgo, hourAgo);
    await site.start();
    expect(filesIn(site.uploads)).toEqual([]);
    expect(documents()).toEqual([]);
    expect((await sendRequest(site, "GET", url(), { Cookie: cookie })).status).toBe(200);
  });

  it("returns 507 with a message if the disk is full, and succeeds once there is space", async () => {
    await site.stop();
    await site.start({ FULL: "yes" });
    const rejected = await addDocument(LONG_PDF);
    expect(rejected.status).toBe(507);
    expect(rejected.body.includes("There is not enough disk space")).toBe(true);
    expect(filesIn(site.uploads)).toEqual([]);
    expect(documents()).toEqual([]);
    await site.stop();
    await site.start({ FULL: "no" });
    expect((await addDocument(LONG_PDF)).status).toBe(302);
    const [document] = documents();
    expect((await form(url(), { intent: "remove-document", document: document! })).status).toBe(
      302,
    );
    await expect.poll(() => filesIn(site.uploads)).toEqual([]);
  });
});

describe("a stored document", () => {
  let document: string;
  beforeAll(async () => {
    expect((await addDocument(PDF)).status).toBe(302);
    document = documents()[0]!;
  });

  it("is sent only to an owner who requests it with the form, and can't be opened at any other URL", async () => {
    const response = await open(document);
    expect(response.status).toBe(200);
    expect(response.body === PDF.toString()).toBe(true);
    const sealed = fs.readFileSync(path.join(site.uploads, "documents", document));
    const secretBytes = [MARKS.content, sealed.subarray(1_000, 1_040).toString("latin1")];

    const own = `${url()}/documents/${document}`;
    const folders = [
      ...["documents", "videos/documents", "videos/../documents", "thumbnails/..//documents"],
      ...["%2e%2e/documents", "videos/%2e%2e/documents", "videos/%2e%2e%2fdocuments"],
      ...["videos/..%5cdocuments", "videos/.%2e/documents", "videos/%252e%252e/documents"],
    ];
    const targets = [
      ...[own, `${own}/`, `${own}.data`, `${own}?_data=routes%2Fperformer-document`, `/${own}`],
      ...[`/documents/${document}`, `/uploads/documents/${document}`],
      ...folders.map((folder) => `/media/${folder}/${document}`),
    ];
    const visitors = { nobody: [], owner: [`Cookie: ${cookie}`] };
    for (const [who, header] of Object.entries(visitors)) {
      for (const target of targets) {
        for (const method of ["GET", "HEAD", "OPTIONS", ...(who === "nobody" ? ["POST"] : [])]) {
          const lines = [
            ...[`${method} ${target} HTTP/1.1`, `Host: ${new URL(site.url).host}`, ...header],
            ...[`Origin: ${site.url}`, "Range: bytes=0-2000", "Content-Length: 0"],
            "Connection: close",
          ];
          const request = `${lines.join("\r\n")}\r\n\r\n`;
          const raw = await rawRequest(site.url, request);
          const label = `${who} ${method} ${target}`;
          const [status] = /^HTTP\/1\.1 \d+/.exec(raw) ?? [raw.slice(0, 40)];
          expect(
            secretBytes.filter((bytes) => raw.includes(bytes)),
            label,
          ).toEqual([]);
          const isMedia = target.startsWith("/media/");
          expect(status, label).toMatch(isMedia ? /^HTTP\/1\.1 40\d/ : /^HTTP\/1\.1 [234]\d\d/);
        }
      }
    }
    expect((await open(document, { Origin: "https://evil.example" })).status).toBe(403);
    expect((await open(document, { Cookie: "" })).status).toBe(400);
    expect((await open("00000000-0000-4000-8000-000000000000")).status).toBe(302);
    expect((await open("..%2F..%2Fdb%2Fsite.sqlite")).status).toBe(302);
    const elsewhere = form(`/admin/consent/another/documents/${document}`, {});
    expect((await elsewhere).status).toBe(302);
  });

  it("isn't in any file in plain text, including backups and logs, nor is the performer's private data", async () => {
    await open(document);
    const made = await execa("npm", ["run", "backup", "--", backup, "--with-uploads"], {
      cwd: ROOT,
      env: environment(),
    });
    site.log += made.stdout + made.stderr;
    expect(fs.existsSync(path.join(backup, "uploads", "documents", document))).toBe(true);
    expect(filesWith(STAGE_NAME).some((name) => name.startsWith("backup/"))).toBe(true);
    expect(marksFound()).toEqual({});
    // The file's key is also encrypted, with a secret that is stored only in the setting.
    expect(filesWith(SECRET)).toEqual([]);
  });

  it("can be opened again once the right secret is set after a backup was restored with the wrong one", async () => {
    await site.stop();
    fs.rmSync(site.uploads, { recursive: true });
    await execa("npm", ["run", "restore", "--", backup], {
      cwd: ROOT,
      env: { ...environment(), SESSION_SECRET: OTHER_SECRET },
    });
    await site.start({ SESSION_SECRET: OTHER_SECRET });
    cookie = await signInTo(site);
    const page = (await sendRequest(site, "GET", url(), { Cookie: cookie })).body;
    expect(page.includes("the secret that encrypted them is missing")).toBe(true);
    expect(page.includes(MARKS.legalName)).toBe(false);
    const locked = await open(document);
    expect([locked.status, locked.headers.location]).toEqual([302, url()]);
    expect((await toastAfter(locked)).includes("Nothing is lost: restore the secret.")).toBe(true);

    await site.stop();
    await site.start({ SESSION_SECRET: `${OTHER_SECRET},${SECRET}` });
    expect((await open(document)).body === PDF.toString()).toBe(true);
    const readable = (await sendRequest(site, "GET", url(), { Cookie: cookie })).body;
    expect(readable.includes(MARKS.legalName)).toBe(true);
  });

  it("reports a disk read error without crashing", async () => {
    const file = path.join(site.uploads, "documents", document);
    fs.renameSync(file, `${file}-away`);
    fs.mkdirSync(file);
    const response = await open(document);
    expect([response.status, response.headers.location]).toEqual([302, url()]);
    expect((await toastAfter(response)).includes("damaged or missing")).toBe(true);
    fs.rmdirSync(file);
    fs.renameSync(`${file}-away`, file);
    expect((await open(document)).status).toBe(200);
  });

  it("is deleted only once by two concurrent requests", async () => {
    const remove = () => form(url(), { intent: "remove-document", document });
    const responses = await Promise.all([remove(), remove()]);
    expect(responses.map(({ status }) => status).sort()).toEqual([302, 404]);
    const late = responses.find(({ status }) => status === 404)!.body;
    expect(late.includes("This document was already deleted.")).toBe(true);
    await expect.poll(() => filesIn(path.join(site.uploads, "documents"))).toEqual([]);
    const actions = column(
      "SELECT action FROM moderation_log WHERE detail LIKE ?",
      `%${document}%`,
    );
    expect(actions.filter((action) => action === "document-remove")).toHaveLength(1);
  });
});

/** Returns the site's settings for its command-line scripts. */
function environment() {
  return {
    ...process.env,
    DATABASE_PATH: site.databasePath,
    UPLOADS_DIR: site.uploads,
    SESSION_SECRET: SECRET,
  };
}
