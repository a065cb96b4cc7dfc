// npm run bench: runs all benchmarks, or only the given ones: npm run bench -- downloads events
import { createReport } from "./report";

/** Each benchmark compares alternatives in a single run, prints its figures, and checks them against its limits. */
const BENCHMARKS = {
  encode: () => import("./encode"),
  "ladder-memory": () => import("./conversion/ladder-memory"),
  "ranged-input": () => import("./conversion/ranged-input"),
  "while-encoding": () => import("./conversion/while-encoding"),
  "watch-while-converting": () => import("./conversion/watch-while-converting"),
  "first-frame": () => import("./first-frame"),
  player: () => import("./player"),
  writes: () => import("./writes"),
  catalogue: () => import("./catalogue/catalogue"),
  lists: () => import("./catalogue/lists"),
  search: () => import("./catalogue/search"),
  "sign-in": () => import("./sign-in"),
  import: () => import("./import"),
  uploads: () => import("./uploads/uploads"),
  tus: () => import("./uploads/tus"),
  downloads: () => import("./downloads"),
  storage: () => import("./storage"),
  workers: () => import("./workers/workers"),
  studio: () => import("./catalogue/studio"),
  "block-list": () => import("./block-list"),
  "digest-list": () => import("./digest-list"),
  trust: () => import("./trust/trust"),
  events: () => import("./events"),
  pages: () => import("./pages"),
  memory: () => import("./memory"),
  weight: () => import("./weight"),
  phone: () => import("./phone"),
};

type Name = keyof typeof BENCHMARKS;

const names = process.argv.slice(2);
const unknown = names.filter((name) => !Object.hasOwn(BENCHMARKS, name));
if (unknown.length > 0) {
  console.error(
    `Unknown benchmark: ${unknown.join(", ")}. Available: ${Object.keys(BENCHMARKS).join(", ")}.`,
  );
  process.exit(2);
}

const report = createReport();
for (const name of (names.length > 0 ? names : Object.keys(BENCHMARKS)) as Name[]) {
  console.log(`\n${name}`);
  const { run } = await BENCHMARKS[name]();
  await run(report);
}
process.exitCode = report.summarize() ? 0 : 1;
