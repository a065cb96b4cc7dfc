import { createHash } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import { PassThrough, Readable } from "node:stream";
import { ZipFile } from "yazl";
import { holdsOf } from "~/features/visibility/holds.server";
import { filePath, type MediaName, parseMediaUrl } from "~/media/bucket.server";
import { storedUnlessNewer } from "~/media/files/local-copies.server";
import { preservedBy, preservedUntil } from "~/media/files/preserved.server";
import { entriesOf, type NamingRow } from "~/media/files/references.server";
import { objectStore } from "~/media/storage/store.server";
import { textDigest } from "~/platform/activity/moderation-log.server";
import { settings } from "~/platform/settings.server";
import { readCaptions } from "~db/captions";
import { prepared } from "~db/client.server";
import { findAcceptances } from "../uploaders/terms.server";
import { type Report, readMessages } from "./report-records.server";

/** Media files are already compressed, so they aren't compressed again. */
const UNCOMPRESSED = { compress: false };
const MAX_MESSAGES = 10_000;

interface ArchivedFile {
  name: string;
  open(): Promise<Readable>;
}

/**
 * Returns a ZIP file with all data about a report: its text, messages and log, the rows of its videos, all video and
 * image files of these videos, and the SHA-256 digest of each file in the format of `sha256sum`.
 */
export async function reportArchive(report: Report): Promise<Readable> {
  const reportId = report.id;
  const ids = [...new Set([...report.videos.map(({ id }) => id), ...preservedBy(reportId)])];
  const videos = ids.map(videoOf);
  const accepted = findAcceptances(ids) ?? {};
  const document = {
    site: settings().publicUrl ?? settings().siteName,
    exportedAt: new Date().toISOString(),
    preservedUntil: preservedUntil(reportId),
    report,
    messages: readMessages(reportId, MAX_MESSAGES),
    log: prepared("SELECT * FROM moderation_log WHERE report_id = ? ORDER BY id").all(reportId),
    videos: videos.map((video) => ({
      ...video,
      acceptedTerms: accepted[video.id] ?? [],
      holds: holdsOf([video.id]).get(video.id) ?? [],
    })),
  };
  const files = (await Promise.all(videos.map(filesOf))).flat();
  return zipped(`${JSON.stringify(document, null, 2)}\n`, files);
}

/** Returns a video's data from the database: its row, other files, uploader and digest. */
function videoOf(id: string) {
  const row = prepared<NamingRow>("SELECT * FROM videos WHERE id = ?").get(id);
  const deleted = prepared<{ row: string }>("SELECT * FROM deleted_videos WHERE id = ?").get(id);
  const named = row ?? (deleted && (JSON.parse(deleted.row) as NamingRow));
  return {
    id,
    row: named ?? null,
    deleted: deleted ? { ...deleted, row: undefined } : null,
    otherVideos: prepared<
      NamingRow & {
        id: string;
      }
    >("SELECT * FROM video_files WHERE video_id = ?").all(id),
    uploader: prepared("SELECT id, email, role, created_at FROM users WHERE id = ?").get(
      (named as { uploaded_by?: string | null } | undefined)?.uploaded_by ?? null,
    ),
    sha256: prepared("SELECT sha256 FROM video_digests WHERE video_id = ?").pluck().get(id),
  };
}

async function filesOf({ id, row, otherVideos }: ReturnType<typeof videoOf>) {
  const named = [...(row ? [{ ...row, id }] : []), ...otherVideos];
  const names = named.flatMap((each) => [...entriesOf(each.id, each), ...captionsOf(each)]);
  const files = await Promise.all(names.map(fileOf));
  return files.filter((file) => file !== undefined);
}

/** Returns the caption files. They need separate entries because folders of derived files are not archived. */
function captionsOf({ captions }: NamingRow): MediaName[] {
  return readCaptions(captions).flatMap(({ url }) => parseMediaUrl(url) ?? []);
}

/** Returns a file to archive, or undefined for a folder of derived files or a missing file. */
async function fileOf(name: MediaName): Promise<ArchivedFile | undefined> {
  const file = filePath(name);
  if (!file || !/\.\w+$/.test(name.path)) return undefined;
  const stored = await storedUnlessNewer(file);
  if (!stored && !existsSync(file)) return undefined;
  const open = async () =>
    stored && !existsSync(file) ? (await objectStore()).get(stored.object) : createReadStream(file);
  return { name: `${name.bucket}/${name.path}`, open };
}

/** Returns the ZIP stream. Files are read one after another, at the speed of the download. */
function zipped(document: string, files: readonly ArchivedFile[]): Readable {
  const zip = new ZipFile();
  const output = new PassThrough();
  const fail = (error: unknown) => void output.destroy(error as Error);
  const sums = [`${textDigest(document)}  report.json`];
  zip.on("error", fail);
  zip.outputStream.pipe(output);
  zip.addBuffer(Buffer.from(document), "report.json");
  for (const { name, open } of files) {
    const summed = async function* () {
      const hash = createHash("sha256");
      for await (const chunk of await open()) {
        hash.update(chunk);
        yield chunk;
      }
      sums.push(`${hash.digest("hex")}  ${name}`);
    };
    zip.addReadStreamLazy(name, UNCOMPRESSED, (start) => {
      const source = Readable.from(summed());
      source.once("error", fail);
      output.once("close", () => source.destroy());
      start(null, source);
    });
  }
  zip.addReadStreamLazy("SHA256SUMS", (start) =>
    start(null, Readable.from([Buffer.from(`${sums.join("\n")}\n`)])),
  );
  zip.end();
  return output;
}
