// npm run bench: runs all benchmarks, or those named: npm run bench -- downloads events
import { createReport } from "./bench/report";

/** Each compares in the same run, prints its figures, and says whether they are good enough. */
const BENCHMARKS = {
  encode: () => import("./bench/encode"),
  bits: () => import("./bench/bits"),
  codecs: () => import("./bench/codecs"),
  "hover-clip": () => import("./bench/conversion/hover-clip"),
  "ladder-memory": () => import("./bench/conversion/ladder-memory"),
  "ranged-input": () => import("./bench/conversion/ranged-input"),
  "while-encoding": () => import("./bench/conversion/while-encoding"),
  "watch-while-converting": () => import("./bench/conversion/watch-while-converting"),
  "first-frame": () => import("./bench/first-frame"),
  player: () => import("./bench/player"),
  writes: () => import("./bench/writes"),
  catalogue: () => import("./bench/catalogue/catalogue"),
  lists: () => import("./bench/catalogue/lists"),
  "sign-in": () => import("./bench/sign-in"),
  import: () => import("./bench/import"),
  uploads: () => import("./bench/uploads/uploads"),
  tus: () => import("./bench/uploads/tus"),
  downloads: () => import("./bench/downloads"),
  storage: () => import("./bench/storage"),
  workers: () => import("./bench/workers/workers"),
  studio: () => import("./bench/catalogue/studio"),
  similar: () => import("./bench/similar"),
  "block-list": () => import("./bench/block-list"),
  "digest-list": () => import("./bench/digest-list"),
  trust: () => import("./bench/trust/trust"),
  events: () => import("./bench/events"),
  pages: () => import("./bench/pages"),
  metrics: () => import("./bench/metrics"),
  memory: () => import("./bench/memory"),
  weight: () => import("./bench/weight"),
  phone: () => import("./bench/phone"),
};

type Name = keyof typeof BENCHMARKS;

const names = process.argv.slice(2);
const unknown = names.filter((name) => !Object.hasOwn(BENCHMARKS, name));
if (unknown.length > 0) {
  console.error(
    `There is no benchmark ${unknown.join(", ")}; there are ${Object.keys(BENCHMARKS).join(", ")}.`,
  );
  process.exit(2);
}

const report = createReport();
for (const name of (names.length > 0 ? names : Object.keys(BENCHMARKS)) as Name[]) {
  console.log(`\n${name}`);
  const { run } = await BENCHMARKS[name]();
  await run(report);
}
process.exitCode = report.summarise() ? 0 : 1;
