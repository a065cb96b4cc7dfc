import fs from "node:fs";
import path from "node:path";

/** Multipart requests as sent by a browser, and the files that they leave on disk. */

export const GOOD_TEXTS = {
  title: "A walk at night",
  description: "Along the river.",
  category: "desi",
  tags: "night, river",
  duration: "",
  intent: "publish",
};

type Part = [name: string, value: string | Blob, fileName?: string];

/** Returns a POST request from the upload form with exactly the given parts, in the given order. */
export function multipart(parts: Part[], headers: Record<string, string> = {}): Request {
  const form = new FormData();
  for (const [name, value, fileName] of parts) {
    if (typeof value === "string") form.append(name, value);
    else form.append(name, value, fileName);
  }
  return new Request("http://localhost/admin", { method: "POST", body: form, headers });
}

/** Returns a POST request from the upload form with a video and valid text fields, some of which may be overridden. */
export function uploadRequest(
  video: Blob | undefined,
  texts: Record<string, string> = {},
  thumbnail?: Blob,
): Request {
  const parts: Part[] = Object.entries({ ...GOOD_TEXTS, ...texts });
  if (thumbnail) parts.push(["thumbnail", thumbnail, "image"]);
  if (video) parts.push(["video", video, "clip.mp4"]);
  return multipart(parts);
}

export function fileBlob(file: string, type = "application/octet-stream"): Blob {
  return new Blob([fs.readFileSync(file)], { type });
}

/** Returns all files in an uploads folder, except the site's own hidden files and `site.json`, as relative paths. */
export function filesIn(uploads: string): string[] {
  return fs
    .readdirSync(uploads, { recursive: true, encoding: "utf8" })
    .filter((name) => fs.statSync(path.join(uploads, name)).isFile())
    .filter((name) => !path.basename(name).startsWith(".") && !name.startsWith("site.json"))
    .sort();
}
