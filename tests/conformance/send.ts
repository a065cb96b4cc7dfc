import fs from "node:fs";
import path from "node:path";
import { execa } from "execa";
import { VIDEO_NAME } from "~/shared/file-rules";
import { command } from "../command";
import { MULTIPART, multipartParts, sendRequest } from "../site-client";
import type { SiteProcess } from "../site-process";
import { GOOD_TEXTS } from "../upload-requests";

/** The result of sending a file, in the same format for uploads, tus and imports. */
export interface Result {
  outcome: "published" | "draft" | "incomplete" | "refused";
  message: string;
  videoId?: string;
}

interface PublishResponse {
  ok: boolean;
  video?: { id: string; status: string };
  failure?: { message: string; cutOff?: { upload: string } };
}

const TUS = { "Tus-Resumable": "1.0.0" };
const BOUNDARY_END = "------a-boundary--\r\n";

/**
 * Returns functions that send a file through the upload form and through tus, as the user with the given session
 * cookie.
 */
export function sender(site: SiteProcess, cookie: string) {
  const headers = { Cookie: cookie, Origin: site.url };

  async function publish(fields: Record<string, string>, video?: Buffer): Promise<Result> {
    const { before, after } = multipartParts({ ...GOOD_TEXTS, incomplete: "ask", ...fields });
    const texts = before.slice(0, before.lastIndexOf("------a-boundary"));
    const body = video
      ? Buffer.concat([Buffer.from(before), video, Buffer.from(after)])
      : `${texts}${BOUNDARY_END}`;
    const { body: text } = await sendRequest(
      site,
      "POST",
      "/admin/publish",
      { ...headers, ...MULTIPART },
      body,
    );
    const { ok, video: published, failure } = JSON.parse(text) as PublishResponse;
    const message = failure?.message ?? "";
    if (ok && published) {
      const outcome = published.status === "published" ? "published" : "draft";
      return { outcome, message, videoId: published.id };
    }
    return { outcome: failure?.cutOff ? "incomplete" : "refused", message };
  }

  return {
    form: (file: string, fields: Record<string, string> = {}) =>
      publish({ title: path.basename(file), ...fields }, fs.readFileSync(file)),

    async tus(file: string): Promise<Result> {
      const bytes = fs.readFileSync(file);
      const length = { "Upload-Length": String(bytes.length) };
      const created = await sendRequest(site, "POST", "/admin/uploads", {
        ...headers,
        ...TUS,
        ...length,
      });
      const url = created.headers.location;
      if (!url) return { outcome: "refused", message: created.body.trim() };
      const type = { "Content-Type": "application/offset+octet-stream", "Upload-Offset": "0" };
      const sent = await sendRequest(site, "PATCH", url, { ...headers, ...TUS, ...type }, bytes);
      if (sent.status >= 400) return { outcome: "refused", message: sent.body.trim() };
      return publish({ title: path.basename(file), upload: url.split("/").at(-1) ?? "" });
    },
  };
}

/** Imports a folder with `npm run import`. Returns the results for files with a video extension, by name. */
export async function importFolder(
  site: SiteProcess,
  folder: string,
): Promise<Map<string, Result>> {
  const { stderr } = await execa(
    process.execPath,
    command("import", folder, "--category", "desi"),
    {
      reject: false,
      env: { DATABASE_PATH: site.databasePath, UPLOADS_DIR: site.uploads },
    },
  );
  const messages = new Map(
    [...stderr.matchAll(/^(\d{3}\.\w+): (.*)$/gm)].map(([, name, message]) => [name!, message!]),
  );
  const results = new Map<string, Result>();
  for (const name of fs.readdirSync(folder)) {
    // Imports skip files without a video extension.
    if (!VIDEO_NAME.test(name)) continue;
    const message = messages.get(name);
    if (!message) results.set(name, { outcome: "published", message: "" });
    else if (message.endsWith(" It is imported as a draft.")) {
      results.set(name, { outcome: "draft", message: message.replace(/ It is imported.*/, "") });
    } else results.set(name, { outcome: "refused", message });
  }
  return results;
}
