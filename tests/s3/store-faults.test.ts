import fs from "node:fs";
import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { withFrame } from "~/features/library/edit/frames.server";
import { readAlertsPage } from "~/features/operations/alerts/alert-records.server";
import { checkAlerts } from "~/features/operations/alerts/check-alerts.server";
import {
  checkStore,
  quarantineObjects,
} from "~/features/operations/library-check/check-store.server";
import { readMetrics } from "~/features/operations/monitoring/metrics.server";
import { loader } from "~/features/watch/routes/media";
import { localFile } from "~/media/files/local-copies.server";
import { removeFiles } from "~/media/files/removals.server";
import { storedFile } from "~/media/files/stored-files.server";
import { recordFile } from "~/media/media-files.server";
import { identifySite } from "~/media/removal-guard.server";
import { dueEntries, moveIntoStore } from "~/media/storage/move-into-store.server";
import { startMovingFiles, storeFailure, tryStore } from "~/media/storage/start.server";
import { fetchObject, objectStore } from "~/media/storage/store.server";
import { ownStore } from "~/media/storage/store-identity.server";
import { sqliteHandle } from "~db/client.server";
import { useTemporarySite } from "../temporary-site";
import { type Fault, startFaultyStore } from "./faulty-store";
import { beginUpload, hasS3Server } from "./object-stores";

/** A file that needs more than one part in a multipart upload. */
const VIDEO = Buffer.from(Array.from({ length: 9_000_000 }, (_, index) => index % 251));
const SHORT = VIDEO.subarray(0, 200_000);
const NAME = { bucket: "videos", path: "u/1700000000000.mp4" } as const;
const DERIVED = { bucket: "videos", path: "u/1700000000000" } as const;
const URL_PATH = `/media/videos/${NAME.path}`;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const ANY = /./;
const WRITES = /^(PUT|POST) /;
const COMPLETE = /^POST .*\?uploadId=/;
const SINGLE_PUT = /^PUT [^?]+\.mp4\?x-id=PutObject$/;
const SLOW_DOWN = { status: 503, code: "SlowDown" };

// `npm test` installs a server, or reports which tests were skipped if it can't.
describe.runIf(hasS3Server)("a faulty store", () => {
  let store: Awaited<ReturnType<typeof startFaultyStore>>;
  let site: ReturnType<typeof useTemporarySite>;
  let logged: string[];
  const consoleError = console.error;

  beforeAll(async () => {
    store = await startFaultyStore();
  });
  afterAll(() => store?.stop());
  beforeEach(async () => {
    site = useTemporarySite(store.environment);
    logged = [];
    console.error = (line: string) => logged.push(line);
    write(NAME.path, VIDEO);
    write(`${DERIVED.path}/hls-1/v0.mp4`, SHORT);
    sqliteHandle()
      .prepare(
        "INSERT INTO videos (id, title, category, status, video_url) VALUES ('v', 'A', 'desi', 'published', ?)",
      )
      .run(URL_PATH);
    await recordFile({ ...NAME, videoId: "v", kind: "video" });
    await recordFile({ ...DERIVED, videoId: "v", kind: "derived" });
    await identifySite();
    await ownStore();
  });
  afterEach(async () => {
    store.fail();
    const open = await objectStore();
    for await (const { key } of open.list()) await open.remove(key);
    console.error = consoleError;
    await site.remove();
  });

  const at = (name: string) => path.join(site.uploads, "videos", name);
  const video = () => at(NAME.path);
  function write(name: string, content: Buffer) {
    fs.mkdirSync(path.dirname(at(name)), { recursive: true });
    fs.writeFileSync(at(name), content);
  }
  const load = (headers: Record<string, string> = {}) =>
    loader({
      request: new Request(`http://site.example${URL_PATH}`, { headers }),
      params: {},
      context: {},
    });

  function loseCopies() {
    for (const name of [NAME.path, `${DERIVED.path}/hls-1/v0.mp4`]) {
      expect(storedFile({ bucket: "videos", path: name })).toBeDefined();
      fs.rmSync(at(name), { force: true });
    }
  }

  /** Clears the fault, and checks that all files are moved and readable, and that the store has no other objects. */
  async function expectRecovery() {
    store.fail();
    await moveIntoStore();
    await removeFiles();
    expect(dueEntries()).toBe(0);
    loseCopies();
    expect(Buffer.from(await (await load()).arrayBuffer()).equals(VIDEO)).toBe(true);
    expect(await checkStore(Date.now() + 2 * DAY_MS)).toEqual({
      missing: [],
      recoverable: [],
      stray: [],
      unfinished: [],
    });
  }

  const full = (when: RegExp, status: number, code: string, type?: string) => ({
    when,
    response: { status, code, type },
  });
  it.each([
    ["507 for a file", full(SINGLE_PUT, 507, "InsufficientStorage")],
    ["507 without a code for a part", full(/^PUT .*partNumber/, 507, "")],
    ["Ceph's response", full(WRITES, 403, "QuotaExceeded")],
    ["MinIO's response", full(WRITES, 400, "XMinioAdminBucketQuotaExceeded")],
    ["a type with a charset", full(WRITES, 403, "QuotaExceeded", "application/xml; charset=utf-8")],
    ["an error when the upload is completed", full(COMPLETE, 403, "QuotaExceeded")],
    ["an error with status 200 when the upload is completed", full(COMPLETE, 200, "QuotaExceeded")],
  ] satisfies [string, ReturnType<typeof full>][])(
    "is reported as full, and the video is kept (%s)",
    async (_, fault) => {
      store.fail(fault);
      await expect(moveIntoStore()).rejects.toMatchObject({
        failure: "full",
        message: expect.stringMatching(/^The file store is full\./),
      });
      // The client treats an error with status 200 as temporary.
      expect(store.sent(fault.when)).toBe(fault.response.status === 200 ? 4 : 1);
      expect(fs.readFileSync(video()).equals(VIDEO)).toBe(true);
      expect(Buffer.from(await (await load()).arrayBuffer()).equals(VIDEO)).toBe(true);
      await expectRecovery();
    },
  );

  it("is retried until the fourth attempt when it responds with SlowDown three times", async () => {
    store.fail({ when: SINGLE_PUT, response: SLOW_DOWN, times: 3 });
    expect((await moveIntoStore()).files).toBe(2);
    expect(store.sent(SINGLE_PUT)).toBe(4);
    await expectRecovery();
  });

  it("gets four attempts when it always responds with SlowDown, and the video is kept", async () => {
    store.fail({ when: WRITES, response: SLOW_DOWN });
    await expect(moveIntoStore()).rejects.toThrow("The file store isn't responding. (SlowDown)");
    expect(store.sent(WRITES)).toBe(4);
    expect(fs.readFileSync(video()).equals(VIDEO)).toBe(true);
    await expectRecovery();
  });

  it("is retried when completing an upload fails with status 200", async () => {
    store.fail({ when: COMPLETE, response: { status: 200, code: "InternalError" }, times: 2 });
    expect((await moveIntoStore()).files).toBe(2);
    expect(store.sent(COMPLETE)).toBe(3);
    await expectRecovery();
  });

  it("is reported immediately when it rejects the access keys, and the video is kept", async () => {
    store.fail({ when: ANY, response: { status: 403, code: "InvalidAccessKeyId" } });
    await expect(moveIntoStore()).rejects.toThrow(/^The file store rejected the access keys/);
    expect(store.sent(WRITES)).toBe(1);
    expect(fs.readFileSync(video()).equals(VIDEO)).toBe(true);
    await expectRecovery();
  });

  it("gets four attempts when it disconnects, after which the video is kept and incomplete uploads are removed", async () => {
    store.fail({ when: WRITES, response: "disconnect" });
    await expect(moveIntoStore()).rejects.toThrow(/^The file store isn't responding/);
    expect(store.sent(WRITES)).toBe(4);
    await expectRecovery();
  });

  it.each([
    ["503", SLOW_DOWN],
    ["403", { status: 403, code: "InvalidAccessKeyId" }],
    ["500", { status: 500, code: "InternalError" }],
    // The request times out after ten seconds.
    ["nothing", "none"],
  ] satisfies [string, Fault["response"]][])(
    "that responds with %s causes the site to return 503 with a message",
    async (_, response) => {
      await moveIntoStore();
      loseCopies();
      store.fail({ when: ANY, response });
      const unavailable = await load({ Range: "bytes=0-9" });
      expect([unavailable.status, unavailable.headers.get("Retry-After")]).toEqual([503, "5"]);
      expect(await unavailable.text()).toBe(
        "The file is temporarily unavailable. Try again in a moment.\n",
      );
      expect(store.sent(ANY)).toBeLessThanOrEqual(4);
      expect(logged).toEqual([
        expect.stringMatching(/^videos\/u\/.*can't be read: The file store/),
      ]);
      store.fail();
      expect(Buffer.from(await (await load({ Range: "bytes=0-9" })).arrayBuffer())).toEqual(
        VIDEO.subarray(0, 10),
      );
    },
    60_000,
  );

  it("that disconnects in the middle of a video ends the response, but copying the object is retried", async () => {
    await moveIntoStore();
    loseCopies();
    store.fail({ when: /^GET /, response: "disconnect", times: 1 });
    const response = await load();
    expect(response.status).toBe(200);
    expect(await response.arrayBuffer().then(() => "complete", String)).toMatch(/Error/);
    store.fail({ when: /^GET /, response: "disconnect", times: 2 });
    expect(fs.readFileSync(await localFile(video())).equals(VIDEO)).toBe(true);
    store.fail({ when: /^GET /, response: "disconnect" });
    const target = path.join(site.folder, "never");
    await expect(fetchObject(storedFile(NAME)!, target)).rejects.toThrow();
    expect(store.sent(/^GET /)).toBe(3);
    expect(fs.existsSync(target)).toBe(false);
  });

  it("is reported to an admin who chooses a thumbnail frame in the studio", async () => {
    await moveIntoStore();
    loseCopies();
    store.fail({ when: ANY, response: SLOW_DOWN });
    const row = sqliteHandle().prepare("SELECT * FROM videos").get() as { id: string };
    await expect(withFrame(row.id, "0:01", "u", async () => {})).rejects.toMatchObject({
      status: 503,
      message: "The video can’t be read right now. Try again in a few seconds.",
    });
  }, 60_000);

  it("that has an incomplete upload from a killed process is reported by check-library, which aborts the upload", async () => {
    await beginUpload(store.environment, "videos/u/half.mp4");
    expect((await checkStore())?.unfinished).toEqual([]);
    const later = Date.now() + 2 * DAY_MS;
    const report = (await checkStore(later))!;
    expect(report.unfinished).toEqual(["videos/u/half.mp4"]);
    await quarantineObjects(report, later);
    expect((await checkStore(later))?.unfinished).toEqual([]);
  });

  it("raises an alert and a metric after five minutes, and resolves them once it recovers", async () => {
    const alerts = async () =>
      (await readAlertsPage()).last.map(({ kind, message, resolvedAt }) => ({
        ...{ kind, message },
        isResolved: resolvedAt !== null,
      }));
    const metric = async () =>
      /^afterdark_alerts_open{kind="store"} (\d)$/m.exec((await readMetrics()).text)?.[1];
    store.fail({ when: ANY, response: SLOW_DOWN });
    await tryStore();
    await checkAlerts(Date.now() + 4 * MINUTE_MS);
    expect(await alerts()).toEqual([]);
    await tryStore();
    await checkAlerts(Date.now() + 5 * MINUTE_MS);
    await checkAlerts(Date.now() + 6 * MINUTE_MS);
    const message =
      "The file store isn't responding. (SlowDown) Videos in the store can't be watched until this is resolved.";
    expect(await alerts()).toEqual([{ kind: "store", message, isResolved: false }]);
    expect(await metric()).toBe("1");
    store.fail();
    startMovingFiles();
    await vi.waitFor(() => expect(storeFailure()).toBeUndefined(), 30_000);
    await checkAlerts(Date.now() + 7 * MINUTE_MS);
    expect(await alerts()).toEqual([{ kind: "store", message, isResolved: true }]);
    expect(await metric()).toBe("0");
  }, 60_000);
});
