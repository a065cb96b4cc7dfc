import fs from "node:fs";
import path from "node:path";
import { execa } from "execa";
import { VIDEO_NAME } from "~/shared/file-rules";
import { command } from "../command";
import { ask, MULTIPART, multipartParts } from "../site-client";
import type { SiteProcess } from "../site-process";
import { GOOD_TEXTS } from "../upload-requests";

/** What the site answered to a file, in the same words whichever way it came. */
export interface Answer {
  outcome: "published" | "draft" | "asked" | "refused";
  message: string;
  videoId?: string;
}

interface Outcome {
  ok: boolean;
  video?: { id: string; status: string };
  failure?: { message: string; cutOff?: { upload: string } };
}

const TUS = { "Tus-Resumable": "1.0.0" };
const BOUNDARY_END = "------a-boundary--\r\n";

/** Sends a file by the form, by tus, or publishes what was asked about; as who is signed in by the cookie. */
export function sender(site: SiteProcess, cookie: string) {
  const headers = { Cookie: cookie, Origin: site.url };

  async function publish(fields: Record<string, string>, video?: Buffer): Promise<Answer> {
    const { before, after } = multipartParts({ ...GOOD_TEXTS, incomplete: "ask", ...fields });
    const texts = before.slice(0, before.lastIndexOf("------a-boundary"));
    const body = video
      ? Buffer.concat([Buffer.from(before), video, Buffer.from(after)])
      : `${texts}${BOUNDARY_END}`;
    const { body: text } = await ask(
      site,
      "POST",
      "/admin/publish",
      { ...headers, ...MULTIPART },
      body,
    );
    const { ok, video: made, failure } = JSON.parse(text) as Outcome;
    const message = failure?.message ?? "";
    if (ok && made) {
      const outcome = made.status === "published" ? "published" : "draft";
      return { outcome, message, videoId: made.id };
    }
    return { outcome: failure?.cutOff ? "asked" : "refused", message };
  }

  return {
    form: (file: string, fields: Record<string, string> = {}) =>
      publish({ title: path.basename(file), ...fields }, fs.readFileSync(file)),

    async tus(file: string): Promise<Answer> {
      const bytes = fs.readFileSync(file);
      const length = { "Upload-Length": String(bytes.length) };
      const created = await ask(site, "POST", "/admin/uploads", { ...headers, ...TUS, ...length });
      const at = created.headers.location;
      if (!at) return { outcome: "refused", message: created.body.trim() };
      const type = { "Content-Type": "application/offset+octet-stream", "Upload-Offset": "0" };
      const sent = await ask(site, "PATCH", at, { ...headers, ...TUS, ...type }, bytes);
      if (sent.status >= 400) return { outcome: "refused", message: sent.body.trim() };
      return publish({ title: path.basename(file), upload: at.split("/").at(-1) ?? "" });
    },
  };
}

/** Imports a folder with the command; what became of each file that is named as a video, by its name. */
export async function importFolder(
  site: SiteProcess,
  folder: string,
): Promise<Map<string, Answer>> {
  const { stderr } = await execa(
    process.execPath,
    command("import", folder, "--category", "desi"),
    {
      reject: false,
      env: { DATABASE_PATH: site.databasePath, UPLOADS_DIR: site.uploads },
    },
  );
  const told = new Map(
    [...stderr.matchAll(/^(\d{3}\.\w+): (.*)$/gm)].map(([, name, message]) => [name!, message!]),
  );
  const answers = new Map<string, Answer>();
  for (const name of fs.readdirSync(folder)) {
    // An import passes over what is not named as a video.
    if (!VIDEO_NAME.test(name)) continue;
    const message = told.get(name);
    if (!message) answers.set(name, { outcome: "published", message: "" });
    else if (message.endsWith(" It is imported as a draft.")) {
      answers.set(name, { outcome: "draft", message: message.replace(/ It is imported.*/, "") });
    } else answers.set(name, { outcome: "refused", message });
  }
  return answers;
}
