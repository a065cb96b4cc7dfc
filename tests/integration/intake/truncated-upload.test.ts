import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { planFolder } from "~/features/upload/import/folder.server";
import { importVideos } from "~/features/upload/import/import.server";
import { receiveUpload } from "~/features/upload/receive-upload.server";
import { readFinishedUpload } from "~/media/intake/tus.server";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { sqliteHandle } from "~db/client.server";
import { mp4Clip } from "../../clips";
import { insertUser } from "../../sign-in-requests";
import { useTemporarySite } from "../../temporary-site";
import { fileBlob, filesIn, GOOD_TEXTS, multipart, uploadRequest } from "../../upload-requests";

const MESSAGE = /^The file is incomplete: it has only 0:0[234] of 0:05\.$/;

let site: ReturnType<typeof useTemporarySite>;
let file: string;
let user: string;
beforeEach(() => {
  site = useTemporarySite();
  user = insertUser().id;
  const bytes = fs.readFileSync(mp4Clip(5));
  file = path.join(site.folder, "cut.mp4");
  fs.writeFileSync(file, bytes.subarray(0, bytes.length * 0.6));
});
afterEach(() => site.remove());

const rows = () => sqliteHandle().prepare("SELECT status, duration FROM videos").all();
const send = (texts: Record<string, string>) =>
  receiveUpload(uploadRequest(fileBlob(file), texts), user);
async function sendUnconfirmed(texts: Record<string, string> = {}) {
  const outcome = await send({ incomplete: "ask", ...texts });
  if (outcome.ok) throw new Error("The upload was accepted without confirmation.");
  return outcome;
}

describe.runIf(ffmpegAvailable())("a truncated file", () => {
  it("needs confirmation before it is published, and is kept until it is confirmed", async () => {
    const { status, failure } = await sendUnconfirmed();
    expect(status).toBe(409);
    expect(failure.message).toMatch(MESSAGE);
    expect(failure.texts.title).toBe(GOOD_TEXTS.title);
    const { upload, seconds, announcedSeconds } = failure.cutOff!;
    expect(announcedSeconds).toBe(5);
    expect(seconds).toBeLessThan(4.5);
    expect(rows()).toEqual([]);
    expect((await readFinishedUpload(user, upload)).bytes).toBe(fs.statSync(file).size);

    const again = multipart(Object.entries({ ...GOOD_TEXTS, upload, incomplete: "keep" }));
    const outcome = await receiveUpload(again, user);
    expect(outcome).toMatchObject({ ok: true, video: { status: "published" } });
    expect(rows()).toMatchObject([{ status: "published", duration: /0:0[234]/ }]);
    expect(filesIn(path.join(site.uploads, "tmp"))).toEqual([]);
  });

  it("can be saved as a draft without confirmation, even after a confirmation was requested", async () => {
    const draft = { ok: true, video: { status: "review" } };
    expect(await send({ incomplete: "ask", intent: "draft" })).toMatchObject(draft);
    const { upload } = (await sendUnconfirmed()).failure.cutOff!;
    const fields = { ...GOOD_TEXTS, upload, incomplete: "keep", intent: "draft" };
    expect(await receiveUpload(multipart(Object.entries(fields)), user)).toMatchObject(draft);
  });

  it("needs confirmation before it is scheduled, and otherwise stays a draft", async () => {
    const publishAt = new Date(Date.now() + 3_600_000).toISOString();
    const { upload } = (await sendUnconfirmed({ publishAt, intent: "draft" })).failure.cutOff!;
    const fields = { ...GOOD_TEXTS, publishAt, upload, incomplete: "keep" };
    const kept = await receiveUpload(multipart(Object.entries(fields)), user);
    expect(kept).toMatchObject({ ok: true, video: { status: "review", publishAt } });
    expect(await send({ publishAt })).toMatchObject({ ok: true, video: { isCutOff: true } });
    const stored = sqliteHandle().prepare("SELECT publish_at FROM videos ORDER BY number");
    expect(stored.pluck().all()).toEqual([publishAt, null]);
  });

  it("becomes a draft if the client, such as a script, can't confirm", async () => {
    const outcome = await send({});
    expect(outcome).toMatchObject({ ok: true, video: { status: "review", isCutOff: true } });
    expect(rows()).toMatchObject([{ status: "review" }]);
  });

  it("becomes a draft with a message if it is imported", async () => {
    const folder = path.join(site.folder, "to-import");
    fs.mkdirSync(folder);
    fs.copyFileSync(file, path.join(folder, "cut.mp4"));
    const plan = await planFolder(folder, { category: "desi", status: "published" });
    const summary = await importVideos(plan, { userId: user, mode: "copy" });
    expect(summary).toMatchObject({ imported: 1, failures: [] });
    expect(summary.notPublic).toEqual([
      { name: "cut.mp4", reason: expect.stringMatching(MESSAGE) },
    ]);
    expect(rows()).toMatchObject([{ status: "review" }]);
  });
});
