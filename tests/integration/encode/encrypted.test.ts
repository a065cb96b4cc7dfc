import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { planFolder } from "~/features/upload/import/folder.server";
import { importVideos } from "~/features/upload/import/import.server";
import { receiveUpload } from "~/features/upload/receive-upload.server";
import { storeFinishedUpload } from "~/media/intake/tus.server";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { probe } from "~/media/probe/probe.server";
import { sqliteHandle } from "~db/client.server";
import { type Clip, encryptedClip, encryptedMatroska, makeClip, patched } from "../../media-clips";
import { insertUser } from "../../sign-in-requests";
import { useTemporarySite } from "../../temporary-site";
import { fileBlob, GOOD_TEXTS, multipart, uploadRequest } from "../../upload-requests";

const MESSAGE =
  "This video is encrypted (DRM) and can’t be played. Upload a file without copy protection.";
const FASTSTART = { output: ["-movflags", "+faststart"] };

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
});
afterEach(() => site.remove());

const videos = () => sqliteHandle().prepare("SELECT count(*) FROM videos").pluck().get();

describe.runIf(ffmpegAvailable())("an encrypted file", () => {
  it.each<[string, Clip]>([
    ["with the index at the end", {}],
    ["with the index first", FASTSTART],
    ["in fragments", { output: ["-movflags", "+frag_keyframe+empty_moov"] }],
    ["without audio", { audio: false }],
    ["as MOV", { extension: "mov" }],
  ])("is rejected if it uses Common Encryption, %s", async (_, clip) => {
    const file = encryptedClip(site.folder, "cenc", clip);
    await expect(probe(file)).rejects.toMatchObject({ status: 422, message: MESSAGE });
    // An import doesn't decode files that appear to be playable.
    const quick = probe(file, { decode: "unplayable" });
    await expect(quick).rejects.toMatchObject({ message: MESSAGE });
  });

  it.each([
    ["with the scheme cbcs", "cenc", "cbcs"],
    ["only for the video", "enca", "mp4a"],
    ["only for the audio", "encv", "avc1"],
  ])("is rejected if it uses Common Encryption, %s", async (_, from, to) => {
    const file = encryptedClip(site.folder, "plain", FASTSTART);
    const other = patched(file, "other.mp4", from, to);
    await expect(probe(other)).rejects.toMatchObject({ message: MESSAGE });
  });

  it("is rejected if it uses FairPlay, or if it is a Matroska file with an encrypted track", async () => {
    const clip = makeClip(site.folder, "open", FASTSTART);
    const bought = patched(patched(clip, "a.mp4", "avc1\0", "drmi\0"), "b.mp4", "mp4a\0", "drms\0");
    await expect(probe(bought)).rejects.toMatchObject({ message: MESSAGE });
    const matroska = encryptedMatroska(site.folder, "open");
    await expect(probe(matroska)).rejects.toMatchObject({ message: MESSAGE });
  });

  it("is rejected in a form, over tus and during an import, and leaves no files behind", async () => {
    const file = encryptedClip(site.folder, "cenc", FASTSTART);
    const user = insertUser().id;
    const refusal = { ok: false, status: 422, failure: { message: MESSAGE } };
    const outcome = await receiveUpload(uploadRequest(fileBlob(file)), user);
    expect(outcome).toMatchObject(refusal);

    const sent = path.join(site.uploads, "tmp", "sent");
    fs.mkdirSync(path.dirname(sent), { recursive: true });
    fs.copyFileSync(file, sent);
    const received = { path: sent, name: "cenc.mp4", bytes: fs.statSync(file).size, sha256: "00" };
    const upload = await storeFinishedUpload(user, received);
    const fields = Object.entries({ ...GOOD_TEXTS, upload });
    expect(await receiveUpload(multipart(fields), user)).toMatchObject(refusal);

    const folder = path.join(site.folder, "to-import");
    fs.mkdirSync(folder);
    fs.copyFileSync(file, path.join(folder, "cenc.mp4"));
    const plan = await planFolder(folder, { category: "desi", status: "published" });
    const { failures } = await importVideos(plan, { userId: user, mode: "copy" });
    expect(failures).toEqual([{ name: "cenc.mp4", reason: MESSAGE }]);
    expect(videos()).toBe(0);
  });
});
