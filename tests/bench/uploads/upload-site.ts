import { MULTIPART, sendRequest, signInTo } from "../../site-client";
import { SiteProcess } from "../../site-process";
import { GOOD_TEXTS } from "../../upload-requests";
import { sendVideo, type UploadCost } from "./upload-sender";

export const MIB = 1024 ** 2;
export const VIDEO_BYTES = 2048 * MIB;

/** Starts a site and warms it up with small uploads. */
export async function openUploadSite() {
  const site = new SiteProcess();
  await site.start();
  const cookie = await signInTo(site);
  const pid = site.child?.pid ?? 0;
  const headers = { Cookie: cookie, Origin: site.url };

  async function multipart(bytes: number): Promise<UploadCost> {
    const all = { ...headers, ...MULTIPART };
    const cost = await sendVideo(pid, `${site.url}/admin`, bytes, all, GOOD_TEXTS);
    if (cost.location !== "/admin") throw new Error(`The upload returned status ${cost.status}.`);
    return cost;
  }

  async function resumable(bytes: number): Promise<UploadCost> {
    const tus = { ...headers, "Tus-Resumable": "1.0.0" };
    const created = await sendRequest(site, "POST", "/admin/uploads", {
      ...tus,
      "Upload-Length": String(bytes),
    });
    const cost = await sendVideo(pid, `${site.url}${created.headers.location}`, bytes, {
      ...tus,
      "Upload-Offset": "0",
      "Content-Type": "application/offset+octet-stream",
    });
    if (cost.status !== 204) throw new Error(`The upload returned status ${cost.status}.`);
    return cost;
  }

  await multipart(64 * MIB);
  await resumable(64 * MIB);
  return { multipart, resumable, close: () => site.remove() };
}
