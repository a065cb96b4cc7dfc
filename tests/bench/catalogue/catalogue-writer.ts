// Runs as a separate process. Inserts videos with SQLite's defaults, one row per statement, and prints the CPU time and
// elapsed time. Arguments: file, count, seed.
import Sqlite from "better-sqlite3";
import { cpuMs } from "../report";
import { INSERT_VIDEO } from "./catalogue-database";
import { generatedVideos } from "./generated-videos";

const [file = "", count = "0", seed = "0"] = process.argv.slice(2);
const videos = [...generatedVideos(Number(count), Number(seed))].map((video, i) => ({
  ...video,
  id: `bench-${seed}-${video.id}`,
  created_at: new Date(Date.now() + i).toISOString(),
}));
const sqlite = new Sqlite(file);
const insert = sqlite.prepare(INSERT_VIDEO);
const [cpu, started] = [cpuMs(), performance.now()];
sqlite.transaction(() => {
  for (const video of videos) insert.run(video);
})();
console.log(JSON.stringify({ cpu: cpuMs() - cpu, wall: performance.now() - started }));
sqlite.close();
