import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { createUser } from "~/features/accounts/users.server";
import { planFolder } from "~/features/upload/import/folder.server";
import { importVideos } from "~/features/upload/import/import.server";
import { mp4Clip } from "../clips";
import { useTemporarySite } from "../temporary-site";
import { median, type Report } from "./report";

const FILES = 1_000;
const ROUNDS = 3;
const MAX_RATIO = 2;
/**
 * The maximum ratio of the probing time to the time that plain ffprobe processes, one per CPU, take for the same files.
 */
const MAX_PROBING_RATIO = 1.5;

/** Measures an import of 1,000 small files, compared with `cp` of the same files on the same disk. */
export async function run(report: Report): Promise<void> {
  const ours: number[] = [];
  const theirs: number[] = [];
  const hashing: number[] = [];
  const probing: number[] = [];
  const plainProbing: number[] = [];
  let bytes = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const site = useTemporarySite();
    try {
      const folder = path.join(site.folder, "to-import");
      bytes = fill(folder);
      flush(site.folder);
      const userId = await createUser("bench@example.com", "a password for the bench");

      const copying = performance.now();
      execFileSync("cp", ["-r", folder, path.join(site.folder, "copied")]);
      flush(site.folder);
      theirs.push(performance.now() - copying);

      const importing = performance.now();
      const plan = await planFolder(folder, { category: "desi", status: "published" });
      const summary = await importVideos(plan, { userId, mode: "copy" });
      ours.push(performance.now() - importing - summary.hashingMs - summary.probingMs);
      hashing.push(summary.hashingMs);
      probing.push(summary.probingMs);
      if (summary.imported !== FILES) throw new Error(`Only ${summary.imported} were imported.`);
      plainProbing.push(probeAll(folder));
    } finally {
      site.remove();
    }
  }
  report.figure("files", FILES, `of ${Math.round(bytes / FILES / 1024)} KB`);
  report.figure("cp, flushed to the disk", median(theirs), "ms");
  report.figure("import without reading the files, flushed to the disk", median(ours), "ms");
  report.figure("hashing", median(hashing), "ms");
  report.figure("probing", median(probing), "ms");
  report.figure("plain ffprobe", median(plainProbing), "ms");
  report.atMost("import without reading the files / cp", median(ours) / median(theirs), MAX_RATIO);
  const ratio = median(probing) / median(plainProbing);
  report.atMost("probing / plain ffprobe", ratio, MAX_PROBING_RATIO);
}

/** Returns how many milliseconds it takes to run ffprobe from a shell for all files in a folder. */
function probeAll(folder: string): number {
  const start = performance.now();
  const probe = "ffprobe -v error -of json -show_format -show_streams";
  execFileSync("sh", ["-c", `ls | xargs -P "$(nproc)" -n 1 ${probe} >/dev/null`], { cwd: folder });
  return performance.now() - start;
}

/** Creates clips that differ only in a box at the end of the file, which players ignore. Returns their total size. */
function fill(folder: string): number {
  fs.mkdirSync(folder, { recursive: true });
  const clip = fs.readFileSync(mp4Clip(5));
  for (let n = 0; n < FILES; n++) {
    const box = Buffer.alloc(16);
    box.writeUInt32BE(box.length);
    box.write("free", 4);
    box.writeUInt32BE(n, 8);
    fs.writeFileSync(path.join(folder, `clip-${n}.mp4`), Buffer.concat([clip, box]));
  }
  return FILES * (clip.length + 16);
}

function flush(folder: string): void {
  execFileSync("sync", ["-f", folder]);
}
