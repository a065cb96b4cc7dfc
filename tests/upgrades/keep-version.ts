// npm run keep-version [-- FOLDER]: saves a small site created by this version, for the upgrade tests.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import packageJson from "../../package.json";
import { mp4Clip } from "../clips";
import { until } from "../process-figures";
import { MULTIPART, multipartParts, sendRequest, signInTo } from "../site-client";
import { SiteProcess } from "../site-process";
import { describeSite } from "./describe-site";

const FOLDER = path.resolve(process.argv[2] ?? "tests/versions");
const FORM = { "Content-Type": "application/x-www-form-urlencoded" };
const DISTANT_FUTURE = "2099-01-01T12:00:00.000Z";

const site = new SiteProcess({
  ENCODER_CONCURRENCY: "1",
  ENCODER_FREE_BYTES: "1",
});
try {
  await site.start();
  await fill();
  await until(() => unfinishedJobs() === 0);
  await site.stop();
  const database = site.database();
  // The database is saved as a single file without a write-ahead log. The sessions are deleted, because they are
  // different each time.
  database.pragma("journal_mode = DELETE");
  database.exec("DELETE FROM sessions; VACUUM");
  const { version } = packageJson;
  fs.mkdirSync(FOLDER, { recursive: true });
  const described = JSON.stringify(describeSite(site), null, 2);
  fs.writeFileSync(path.join(FOLDER, `${version}.json`), `${described}\n`);
  const archive = path.join(FOLDER, `${version}.tar.gz`);
  const contents = ["db/site.sqlite", "uploads"];
  execFileSync("tar", [
    "--exclude=.lock",
    "--numeric-owner",
    "-czf",
    archive,
    "-C",
    site.folder,
    ...contents,
  ]);
  console.log(`${archive}: ${Math.ceil(fs.statSync(archive).size / 1024)} KB.`);
} finally {
  await site.remove();
}

/** Returns the number of unfinished jobs. Cleanup jobs don't count, because they wait for hours. */
function unfinishedJobs(): number {
  const count = "SELECT count(*) FROM jobs WHERE state <> 'done' AND kind <> 'cleanup'";
  return site.database().prepare(count).pluck().get() as number;
}

/** Creates videos with each status, a series, tags, a scheduled video and a deleted video. */
async function fill(): Promise<void> {
  const cookie = await signInTo(site);
  const send = async (to: string, fields: Record<string, string>) => {
    const body = new URLSearchParams(fields).toString();
    const response = await sendRequest(site, "POST", to, { Cookie: cookie, ...FORM }, body);
    if (response.status !== 302)
      throw new Error(`${to} returned ${response.status} ${response.body}`);
  };
  const clip = fs.readFileSync(mp4Clip(1, "128x72"));
  for (const [number, title] of ["Aurora", "Beach", "Cinema", "Dunes"].entries()) {
    const intent = title === "Beach" ? "draft" : "publish";
    const texts = { title, description: `About ${title}`, category: "desi", tags: "night, sea" };
    const { before, after } = multipartParts({
      ...texts,
      duration: "",
      duplicate: "publish",
      intent,
    });
    const other = Buffer.alloc(8 + number);
    other.writeUInt32BE(other.length);
    other.write("free", 4);
    const body = Buffer.concat([Buffer.from(before), clip, other, Buffer.from(after)]);
    const headers = { Cookie: cookie, ...MULTIPART };
    const response = await sendRequest(site, "POST", "/admin/publish", headers, body);
    if (response.status !== 201) throw new Error(`${title}: ${response.status} ${response.body}`);
  }
  await until(() => unfinishedJobs() === 0);
  const idOf = (title: string) =>
    site.database().prepare("SELECT id FROM videos WHERE title = ?").pluck().get(title) as string;
  await send("/admin/series", { intent: "create", title: "Nights out" });
  await send("/admin", {
    ...{ intent: "update", id: idOf("Aurora"), title: "Aurora", description: "0:00 Start" },
    ...{ category: "english", tags: "night", addToSeries: "Nights out" },
  });
  // The date is set in the database, because the form accepts only dates within the next ten years, and the saved site
  // is kept for longer.
  site
    .database()
    .prepare("UPDATE videos SET publish_at = ? WHERE title = 'Beach'")
    .run(DISTANT_FUTURE);
  await send("/admin", { intent: "toggle", id: idOf("Cinema"), expectedStatus: "published" });
  await send("/admin", { intent: "delete", id: idOf("Dunes") });
}
