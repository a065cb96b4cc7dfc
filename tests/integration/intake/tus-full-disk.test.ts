import fs from "node:fs";
import path from "node:path";
import { afterAll, expect, it } from "vitest";
import { mp4Clip } from "../../clips";
import { MULTIPART, multipartParts, openRequest, sendRequest, signInTo } from "../../site-client";
import { SiteProcess } from "../../site-process";
import { GOOD_TEXTS } from "../../upload-requests";
import { withoutMetadata } from "../../without-metadata";

// A file size limit makes writes fail as they would on a full disk, and setting it doesn't require root.
const LIMIT_BYTES = 8192 * 512;
const site = new SiteProcess({ FULL: "yes" }, [
  "sh",
  "-c",
  'if [ "$FULL" = yes ]; then trap "" XFSZ; ulimit -f 8192; fi; exec "$0" "$@"',
]);
afterAll(() => site.remove());

const TUS = { "Tus-Resumable": "1.0.0" };

it("a resumable upload keeps its received bytes if the disk becomes full, and can be resumed once there is space again", async () => {
  const clip = fs.readFileSync(mp4Clip(3));
  const padding = Buffer.alloc(12 * 1024 * 1024);
  padding.writeUInt32BE(padding.length);
  padding.write("free", 4);
  const bytes = Buffer.concat([clip, padding]);

  await site.start();
  const Cookie = await signInTo(site);
  const created = await sendRequest(site, "POST", "/admin/uploads", {
    ...TUS,
    Cookie,
    "Upload-Length": String(bytes.length),
  });
  const address = String(created.headers.location);
  const patch = { ...TUS, Cookie, "Content-Type": "application/offset+octet-stream" };
  const open = openRequest(site, "PATCH", address, {
    ...patch,
    "Upload-Offset": "0",
    "Content-Length": String(bytes.length),
  });
  // The server sent the response before the end of the request.
  await Promise.race([open.send(bytes).catch(() => {}), open.response]);
  const { status, body } = await open.response;
  expect(status).toBe(507);
  expect(String(body)).toContain("There is not enough disk space");

  const kept = await sendRequest(site, "HEAD", address, { ...TUS, Cookie });
  const offset = Number(kept.headers["upload-offset"]);
  expect(offset).toBeGreaterThan(0);
  expect(offset).toBeLessThanOrEqual(LIMIT_BYTES);
  const file = path.join(site.uploads, "tmp", "tus", address.split("/").at(-1) ?? "");
  expect(fs.readFileSync(file).equals(bytes.subarray(0, offset))).toBe(true);

  await site.stop();
  await site.start({ FULL: "no" });
  const rest = bytes.subarray(offset);
  const headers = { ...patch, "Upload-Offset": String(offset) };
  expect((await sendRequest(site, "PATCH", address, headers, rest)).status).toBe(204);
  const upload = address.split("/").at(-1) ?? "";
  const { before } = multipartParts({ ...GOOD_TEXTS, upload });
  const form = `${before.slice(0, before.lastIndexOf("------a-boundary"))}------a-boundary--\r\n`;
  const published = await sendRequest(
    site,
    "POST",
    "/admin/publish",
    { ...MULTIPART, Cookie },
    form,
  );
  expect(published.status).toBe(201);
  const url = site.database().prepare("SELECT video_url FROM videos").pluck().get() as string;
  const stored = fs.readFileSync(path.join(site.uploads, url.replace("/media/", "")));
  expect(stored.equals(withoutMetadata(bytes))).toBe(true);
});
