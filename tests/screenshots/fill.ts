import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { command } from "../command";
import { ADMIN, type SiteProcess } from "../site-process";
import { ADMIN_WITH_SECOND_FACTOR, INVITATION_TOKEN } from "./admin-screens";
import { inDays } from "./days";
import { addDecisionsAndStrikes, addReports, addTerms } from "./fill-trust";
import type { SampleVideos } from "./screen";

const DESCRIPTION = `A walk along the river, from the last bus to the first light. Recorded in one night, by the light of the street lamps.

0:00 The last bus
0:12 Along the river
0:31 Rain, and a long word: Donaudampfschifffahrtsgesellschaftskapitänsmütze
0:50 First light

More at https://example.com/a/rather/long/url/that/has/no/line/breaks/in/it?and=some&query=parameters
`;

const CAPTIONS = `WEBVTT

00:00.000 --> 05:00.000
The last bus has left.
From here we walk.
`;

/** Fills an empty site with the demo's clips, and changes some of the videos so that every state occurs. */
export function fillForScreens(site: SiteProcess): SampleVideos {
  execFileSync(process.execPath, command("demo"), {
    env: { ...process.env, DATABASE_PATH: site.databasePath, UPLOADS_DIR: site.uploads },
    stdio: "inherit",
  });
  const database = site.database();
  const update = (id: string, columns: Record<string, string | number | null>) => {
    const names = Object.keys(columns).map((name) => `${name} = @${name}`);
    database
      .prepare(`UPDATE videos SET ${names.join(", ")} WHERE id = @id`)
      .run({ ...columns, id });
  };
  const published = database
    .prepare("SELECT id FROM videos WHERE status = 'published' ORDER BY sort_key DESC")
    .pluck();
  const [long = "", , , plain = "", withoutFile = "", , , unbroken = "", ...rest] =
    published.all() as string[];
  const [hidden = "", draft = "", scheduled = ""] = rest.slice(-3);

  // The file is in the video's folder, because only files in a video's folder are public.
  const file = database.prepare("SELECT video_url FROM videos WHERE id = ?").pluck().get(long);
  const folder = String(file)
    .replace("/media/videos/", "")
    .replace(/\.mp4$/, "");
  const captions = site.addFile("videos", `${folder}/captions/en.vtt`, CAPTIONS);
  update(long, {
    title: "Along the river at night, from the last bus to the first light of the morning",
    description: DESCRIPTION,
    tags: JSON.stringify(["night", "river", "one take", "a tag of several words", "مساء"]),
    captions: JSON.stringify([{ url: captions, language: "en", label: "English", added: true }]),
  });
  update(withoutFile, { video_url: "" });
  update(unbroken, { title: "Averyverylongwordwithoutanyspacethatcannotbebroken".repeat(2) });
  update(hidden, { status: "hidden", unpublish_at: null });
  update(draft, { status: "review" });
  update(scheduled, { status: "hidden", publish_at: inDays(9) });
  update(plain, { unpublish_at: inDays(30) });

  addViews(site, [long, plain, unbroken]);
  addWatchedParts(site, long);
  addDiskDays(site);
  addTransferDays(site);
  changeJobs(site, long, plain);
  database
    .prepare(
      `INSERT INTO deleted_videos (id, title, row, deleted_at)
       VALUES ('deleted', 'A deleted video', '{}', ?)`,
    )
    .run(new Date().toISOString());
  addSeries(site, [hidden, ...(published.all() as string[]).slice(0, 11)]);
  const otherFile = database.prepare(
    `INSERT INTO video_files (id, video_id, state, replaced_at, duration, video_url, bytes)
     VALUES (?, ?, ?, ?, '1:02', '/media/videos/u/1.mp4', 52000000)`,
  );
  otherFile.run("earlier", long, "earlier", new Date().toISOString());
  otherFile.run("pending", plain, "pending", null);
  database
    .prepare(
      `INSERT INTO jobs (video_id, kind, priority, state, progress, worker, lease_until)
       VALUES ('pending', 'ladder', 40, 'running', 0.6, 'another', ?)`,
    )
    .run(inDays(1));
  database.exec(
    `INSERT INTO upload_templates (user_id, name, description, category, tags, is_default)
     SELECT id, 'A walk at night', 'Recorded in one night.', 'desi', 'night, walk', 1 FROM users;
     INSERT INTO upload_templates (user_id, name) SELECT id, 'Name only' FROM users`,
  );
  // The secret is invalid, so signing in to this account doesn't get past the page that asks for the code.
  database
    .prepare(
      `INSERT INTO users (id, email, password_hash, totp_secret, totp_enabled_at)
       SELECT 'second', ?, password_hash, 'none', ? FROM users LIMIT 1`,
    )
    .run(ADMIN_WITH_SECOND_FACTOR, new Date().toISOString());
  addPasskeys(site);
  const reports = addReports(site, hidden, plain);
  addDecisionsAndStrikes(site, plain);
  addTerms(site);
  addUsers(site);
  addDownloads(site);
  addReview(site, draft);
  addPairs(site, [plain, unbroken, long]);
  addAlerts(site);
  const all = published.all() as string[];
  return { long, plain, withoutFile, scheduled, draft, all, reports };
}

/** Marks the first video as similar to each of the others. */
function addPairs(site: SiteProcess, [one = "", ...others]: string[]): void {
  const add = site.database().prepare("INSERT INTO similar_videos (first, second) VALUES (?, ?)");
  for (const other of others) add.run(...[one, other].sort());
}

/** Adds only resolved alerts, because the site itself would resolve open ones. */
function addAlerts(site: SiteProcess): void {
  const add = site
    .database()
    .prepare(
      "INSERT INTO alerts (id, kind, message, raised_at, resolved_at) VALUES (?, ?, ?, ?, ?)",
    );
  const disk = "The uploads disk is almost full: 1.8 GB free.";
  const backup = "A backup failed: BACKUP_DIR doesn't exist.";
  add.run("disk", "disk", disk, inDays(-3), inDays(-2));
  add.run("backup", "backup-failed", backup, inDays(-9), inDays(-8));
}

/** Adds a public series with videos and two private series. */
function addSeries(site: SiteProcess, videos: string[]): void {
  const database = site.database();
  const add = database.prepare(
    "INSERT INTO series (title, slug, description, visibility) VALUES (?, ?, ?, ?)",
  );
  const about =
    "From the last bus to the first light: all walks by street light, in chronological order.";
  add.run("Nights out", "nights-out", about, "public");
  add.run("Averyverylongtitlewithoutanyspacethatcannotbebrokenbyanyone", "long", "", "studio");
  add.run("To be sorted", "to-be-sorted", "", "studio");
  database.exec("INSERT INTO series_slugs SELECT slug, id FROM series");
  const addVideo = database.prepare("INSERT INTO series_videos VALUES (1, ?, ?)");
  for (const [position, id] of [...videos, "deleted"].entries()) addVideo.run(id, position);
}

/** Adds only finished imports from URLs, because a queued import would start. */
function addDownloads(site: SiteProcess): void {
  const add = site.database().prepare(
    `INSERT INTO downloads (user_id, address, texts, status, state, reason)
     SELECT id, @address, @texts, 'review', @state, @reason FROM users WHERE email = @email`,
  );
  const download = {
    email: ADMIN.email,
    address: "https://videos.example/2026/a-night-by-the-river-in-full.mp4",
    texts: JSON.stringify({ title: "A night by the river" }),
    reason: null,
  };
  add.run({ ...download, state: "done" });
  add.run({ ...download, state: "canceled" });
  const reason = "The server returned status 404 instead of the file.";
  add.run({ ...download, state: "failed", reason });
}

/** Adds passkeys without valid keys. */
function addPasskeys(site: SiteProcess): void {
  const add = site.database().prepare(
    `INSERT INTO passkeys (id, user_id, rp_id, name, public_key, counter, synced, last_used_at)
     SELECT @name, id, @host, @name, x'00', 0, @synced, @used FROM users WHERE email = @email`,
  );
  const passkey = { email: ADMIN.email, host: "localhost", synced: 0, used: null };
  add.run({ ...passkey, name: "Phone", synced: 1, used: new Date().toISOString() });
  add.run({ ...passkey, name: "Security key on my key ring" });
  add.run({ ...passkey, name: "Old laptop", host: "videos.example" });
}

/** Adds two notes and a preview link to a draft that is ready for review. */
function addReview(site: SiteProcess, draft: string): void {
  const database = site.database();
  database.prepare("UPDATE videos SET ready_at = ? WHERE id = ?").run(inDays(0), draft);
  const note = database.prepare(
    `INSERT INTO review_notes (video_id, user_id, text, created_at)
     SELECT ?, id, ?, ? FROM users LIMIT 1`,
  );
  note.run(draft, "The audio of the first minute is too quiet. Can you check it?", inDays(-1));
  note.run(draft, "Done. The title also names the place now.", inDays(0));
  const hash = createHash("sha256").update(INVITATION_TOKEN).digest("hex");
  database
    .prepare(
      `INSERT INTO preview_links (token_hash, video_id, created_by, created_at, views, last_viewed_at)
       SELECT ?, ?, id, ?, 3, ? FROM users LIMIT 1`,
    )
    .run(hash, draft, inDays(-1), inDays(0));
}

/** Adds users with different roles and states, and two invitations. */
function addUsers(site: SiteProcess): void {
  const database = site.database();
  const user = database.prepare(
    `INSERT INTO users (email, password_hash, role, may_publish, deactivated_at)
     VALUES (?, 'none', ?, ?, ?)`,
  );
  user.run("editor@example.com", "editor", 0, null);
  user.run("a-rather-long-address-of-an-uploader@videos.example.com", "uploader", 1, null);
  user.run("gone@example.com", "uploader", 0, inDays(-3));
  const invitation = database.prepare(
    `INSERT INTO invitations (token_hash, email, role, invited_by, created_at, expires_at)
     SELECT ?, ?, ?, id, ?, ? FROM users ORDER BY created_at LIMIT 1`,
  );
  const hash = createHash("sha256").update(INVITATION_TOKEN).digest("hex");
  invitation.run(hash, "new@example.com", "editor", inDays(0), inDays(2));
  invitation.run("none", "late@example.com", "uploader", inDays(-5), inDays(-3));
}

/** Adds a month of views. Some days have no views. */
function addViews(site: SiteProcess, ids: string[]): void {
  const add = site
    .database()
    .prepare("INSERT OR REPLACE INTO view_days (video_id, day, views) VALUES (?, ?, ?)");
  for (const [place, id] of ids.entries()) {
    for (let day = 0; day < 30; day += 1 + place) {
      add.run(id, inDays(-day).slice(0, 10), 40 + ((day * 37) % 61) * (3 - place));
    }
  }
}

/**
 * Adds counts for the watched parts of a video. Most viewers watch the first half, and in each part some of them stop
 * watching.
 */
function addWatchedParts(site: SiteProcess, id: string): void {
  const parts = Array.from({ length: 20 }, (_, part) => Math.round(812 - part * 21 - part ** 2));
  site
    .database()
    .prepare("INSERT OR REPLACE INTO watched_parts (video_id, views, parts) VALUES (?, 840, ?)")
    .run(id, JSON.stringify(parts));
}

/** Adds disk usage records that show 3 GB being added every day. */
function addDiskDays(site: SiteProcess): void {
  const add = site
    .database()
    .prepare("INSERT OR IGNORE INTO disk_days (day, used_bytes, free_bytes) VALUES (?, ?, ?)");
  for (let day = 1; day <= 20; day += 1) {
    add.run(inDays(-day).slice(0, 10), 200e9 - day * 3e9, 120e9 + day * 3e9);
  }
}

/** Adds daily amounts of transferred data, which are higher on weekends. */
function addTransferDays(site: SiteProcess): void {
  const add = site
    .database()
    .prepare("INSERT OR IGNORE INTO transfer_days (day, bytes) VALUES (?, ?)");
  for (let day = 1; day <= 80; day += 1) {
    add.run(inDays(-day).slice(0, 10), Math.round((day % 7 < 2 ? 61e9 : 38e9) + (day % 5) * 2.4e9));
  }
}

/** Marks one job as running and another one as failed. All other jobs stay queued. */
function changeJobs(site: SiteProcess, running: string, failed: string): void {
  const database = site.database();
  database
    .prepare(
      `UPDATE jobs SET state = 'running', progress = 0.42, speed = 1.8, seconds_left = 190,
       worker = 'another', lease_until = ?, started_at = ? WHERE video_id = ? AND kind = 'ladder'`,
    )
    .run(inDays(1), new Date().toISOString(), running);
  database
    .prepare(
      `UPDATE jobs SET state = 'failed', attempts = 3, finished_at = ?,
       reason = 'The file ends before its last frame.' WHERE video_id = ? AND kind = 'ladder'`,
    )
    .run(new Date().toISOString(), failed);
}
