import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { brokenRules, type Module } from "./structure-rules";

const root = fileURLToPath(new URL("../..", import.meta.url));

function filesBelow(folder: string): string[] {
  return fs
    .readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => path.relative(root, path.join(parentPath, name)))
    .map((file) => file.split(path.sep).join("/"));
}

const modulesBelow = (folder: string): Module[] =>
  filesBelow(folder)
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => ({ file, source: fs.readFileSync(path.join(root, file), "utf8") }));

describe("who may use whom", () => {
  it("holds in the whole tree", () => {
    const modules = [...modulesBelow("app"), ...modulesBelow("db")];
    expect(modules.length).toBeGreaterThan(15);
    expect(brokenRules(modules)).toEqual([]);
  });

  it.each([
    ["app/catalogue/x.ts", 'import { loader } from "~/routes/home";', "nothing uses routes"],
    ["app/shared/x.ts", 'import { settings } from "~/server/settings.server";', "does not use"],
    ["app/shared/x.ts", 'import type { Row } from "~db/schema";', "shared does not use db"],
    ["db/x.server.ts", 'import { hub } from "~/live/hub.server";', "db does not use live"],
    ["app/server/x.ts", 'import { serve } from "~/media/serve/serve.server";', "does not use"],
    ["app/catalogue/x.ts", 'import { publish } from "../studio/publish.server";', "does not use"],
    ["app/catalogue/x.ts", 'import type { Look } from "~/ui/button";', "does not use"],
    ["app/live/x.ts", 'import { probe } from "~/media/probe/probe.server";', "does not use"],
    ["app/account/x.ts", 'import { listPublished } from "~/catalogue/x.server";', "does not use"],
    ["app/media/x.ts", 'export { x } from "~/studio/edit.server";', "does not use"],
    ["app/studio/x.ts", 'import { importVideos } from "~/import/import.server";', "does not use"],
    ["app/import/x.ts", 'import { publish } from "~/studio/publish.server";', "does not use"],
    ["app/ui/x.tsx", 'import type { SessionUser } from "~/account/guard.server";', "does not use"],
    ["app/ui/x.tsx", 'import { settings } from "~/server/settings.server";', "no server code"],
    ["app/ui/x.tsx", 'import { publishChange } from "~/live/hub.server";', "no server code"],
    ["app/player/x.tsx", 'import fs from "node:fs";', "no server code"],
    ["app/player/x.tsx", 'const x = import("~/media/range.server");', "no server code"],
    ["app/routes/x.ts", 'import { database } from "~db/client.server";', "SQL stands only in"],
    ["app/server/x.ts", 'import { prepared as p } from "~db/client.server";', "SQL stands only"],
    ["app/live/x.ts", 'import { sql } from "kysely";', "SQL stands only in"],
    ["app/x.ts", 'import { rm } from "node:fs/promises"; rm("a");', "removes files"],
    ["app/x.ts", 'import fs from "node:fs"; fs.promises.unlink("a");', "removes files"],
    ["app/x.ts", 'import { rmdirSync } from "node:fs"; rmdirSync("a");', "removes files"],
    ["app/server/health.server.ts", "", "removes no files"],
    ["app/x.ts", `"UPDATE videos SET status = 'hidden' WHERE id = ?"`, "writes who may see"],
    ["app/x.ts", '"UPDATE videos SET views = 1, publish_at = NULL"', "writes who may see"],
    ["app/x.ts", 'db.updateTable("videos").set({ status }).where(a)', "writes who may see"],
    ["app/x.ts", 'db.insertInto("videos").values({ id, status: "review" })', "writes who may see"],
    ["app/x.ts", '"INSERT OR IGNORE INTO video_holds (video_id) VALUES (?)"', "writes who may see"],
    ["app/x.ts", '"DELETE FROM video_holds WHERE video_id = ?"', "writes who may see"],
    ["app/x.ts", 'db.deleteFrom("sessions").where(a)', "ends sessions or tokens"],
    ["app/x.ts", '"DELETE FROM api_tokens WHERE id = ?"', "ends sessions or tokens"],
    ["app/x.ts", 'import { createHmac } from "node:crypto";', "signs, which"],
    ["app/x.ts", 'import { sign } from "cookie-signature";', "signs, which"],
    ["app/server/signed-value.server.ts", "", "signs nothing"],
    ["app/x.ts", "await sendEmail(server, { from, to }, email);", "sends emails"],
    ["app/x.ts", 'import { createTransport } from "nodemailer";', "sends emails"],
  ])("is seen to be broken by %s: %s", (file, source, rule) => {
    expect(brokenRules([{ file, source }]).join("\n")).toContain(rule);
  });

  it("is seen to be broken by modules that import each other, types included", () => {
    const circle = [
      { file: "app/ui/a.ts", source: 'import type { B } from "./b";' },
      { file: "app/ui/b.tsx", source: 'export { c } from "./c";' },
      { file: "app/ui/c.ts", source: 'const a = import("~/ui/a");' },
      { file: "app/ui/d.ts", source: 'import { a } from "./a";' },
    ];
    expect(brokenRules(circle)).toEqual([
      "app/ui/a.ts, app/ui/b.tsx, app/ui/c.ts import each other in a circle",
    ]);
    expect(brokenRules(circle.slice(1))).toEqual([]);
  });

  it.each([
    ["app/routes/x.ts", 'import { listPublished } from "~/catalogue/lists/listing.server";'],
    ["app/ui/x.tsx", 'import { formatCount } from "~/shared/format";'],
    ["app/ui/x.tsx", 'import { listenToEvents } from "~/live/event-client";'],
    ["app/studio/x.ts", 'import { mediaUrl } from "../media/bucket.server";'],
    ["app/import/x.ts", 'import { database } from "~db/client.server";'],
    ["app/server/x.ts", 'import { closeDatabase } from "~db/client.server";'],
    ["app/boot.server.ts", 'import { database } from "~db/client.server";'],
    ["app/x.ts", `"UPDATE videos SET views = 1 WHERE status = 'published'"`],
    ["app/x.ts", 'db.updateTable("videos").set({ ready_at }).where("status", "=", "review");'],
    ["app/visibility/x.ts", '"DELETE FROM video_holds"'],
  ])("allows %s: %s", (file, source) => {
    expect(brokenRules([{ file, source }])).toEqual([]);
  });
});

describe("the files", () => {
  const modules = [...modulesBelow("app"), ...modulesBelow("db")];

  it("are each a route, where they stand among the routes", () => {
    const declared = fs.readFileSync(path.join(root, "app/routes.ts"), "utf8");
    const routes = modules.filter(({ file }) => file.startsWith("app/routes/"));
    const others = routes.filter(({ file }) => !declared.includes(`"${file.slice(4)}"`));
    expect(others.map(({ file }) => file)).toEqual([]);
  });

  it("are named in kebab-case", () => {
    const odd = modules.filter(
      ({ file }) => !/^[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(path.basename(file)),
    );
    expect(odd.map(({ file }) => file)).toEqual([]);
  });

  it("read the environment in one place", () => {
    const readers = modules.filter(({ source }) => source.includes("process.env"));
    expect(readers.map(({ file }) => file)).toEqual(["app/server/settings.server.ts"]);
  });

  it("keep process state and timers in the runtime alone", () => {
    const isServer = ({ file }: Module) => /^db\/.*\.ts$|\.server\.tsx?$/.test(file);
    const isRuntime = ({ file }: Module) => file === "db/runtime.server.ts";
    const others = modules.filter((module) => isServer(module) && !isRuntime(module));
    const empty = /= (?:\[\]|new (?:Map|Set|LRUCache)(?:<.*>)?\(\)|Promise\.resolve\(\));$/;
    const stateful = others.flatMap(({ file, source }) =>
      source
        .split("\n")
        .filter(
          (line) => /^(?:export )?let /.test(line) || (/^const \w+/.test(line) && empty.test(line)),
        )
        .map((line) => `${file}: ${line.replace(/^(?:export )?(?:let|const) (\w+).*/, "$1")}`),
    );
    expect(stateful.sort()).toEqual([
      // What is installed on this machine.
      "app/media/probe/ffmpeg.server.ts: tools",
      // Attached once to the servers of this process.
      "app/server/node/middleware.server.ts: middleware",
      "app/server/node/request-context.server.ts: listeners",
      "app/server/node/request-context.server.ts: subscribed",
      "app/server/node/route-naming.server.ts: naming",
      // The environment, and where it is read.
      "app/server/settings.server.ts: current",
      "db/client.server.ts: databaseFile",
      "db/client.server.ts: readsCopy",
      "db/litestream.server.ts: litestreamSetting",
    ]);
    const elsewhere = others.filter(({ source }) => /globalThis|setInterval\(/.test(source));
    expect(elsewhere.map(({ file }) => file)).toEqual([]);
  });

  it("name each piece of the runtime differently", () => {
    const names = modules.flatMap(({ source }) => [
      ...[...source.matchAll(/\bprocessState(?:<[^()]*>)?\(\s*(["`][^"`]+["`])/g)].map(
        ([, name]) => name,
      ),
      ...[...source.matchAll(/\battemptLimit\(\s*(["`][^"`]+["`])/g)].map(([, name]) => name),
    ]);
    expect(names.length).toBeGreaterThan(40);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it("write in the transactions of db/client.server.ts alone", () => {
    const users = [...modules, ...modulesBelow("scripts")].filter(({ source }) =>
      /\.(?:startTransaction|transaction)\(\)/.test(source),
    );
    expect(users.map(({ file }) => file)).toEqual([]);
    const own = modules.filter(({ source }) => /\.transaction\(.*\)\.immediate\b/.test(source));
    expect(own.map(({ file }) => file)).toEqual(["db/client.server.ts", "db/projector.server.ts"]);
  });

  it("start processes in one place, with an allow-listed environment", () => {
    const starts = /^import (?!type\b)[^;]*? from "(?:node:child_process|execa)";/ms;
    const users = modules.filter(({ source }) => starts.test(source));
    expect(users.map(({ file }) => file)).toEqual([
      "app/server/child-process.server.ts",
      // Runs `sync`, which reads no file, in processes that have no settings to read.
      "app/studio/backups/backup-files.server.ts",
    ]);
    const workers = modules.filter(({ source }) => source.includes("new Worker("));
    expect(workers.map(({ file }) => file)).toEqual(["db/threads/thread.server.ts"]);
    const threads = modules.filter(({ source }) => /(?<!function )\bcreateThread\(/.test(source));
    const withEverything = threads.filter(
      ({ source }) => !source.includes("env: childEnvironment()"),
    );
    // Runs the site's own queries, and reads the settings.
    expect(withEverything.map(({ file }) => file)).toEqual(["db/threads/query-thread.server.ts"]);
  });

  it("decode pictures in the program of the picture process alone", () => {
    const users = modules.filter(({ source }) => /from "sharp"/.test(source));
    expect(users.map(({ file }) => file)).toEqual(["app/media/pictures/picture-program.server.ts"]);
  });

  it("that only admins see are on pages with the styles of the studio", () => {
    const sheet = fs.readFileSync(path.join(root, "app/ui/site.css"), "utf8");
    const [, pages = ""] = sheet.match(/routes\/\{(.*)\}\.tsx/) ?? [];
    const isStudio = /import (?!type).* from "~\/(studio|account|media\/jobs)\/[\w/-]+"/;
    const users = modules.filter(
      ({ file, source }) => /^app\/routes\/.*\.tsx$/.test(file) && isStudio.test(source),
    );
    expect(users.map(({ file }) => path.basename(file, ".tsx"))).toEqual(pages.split(","));
    const unstyled = users.filter(({ source }) => !source.includes("~/studio/admin-navigation"));
    expect(unstyled.map(({ file }) => file)).toEqual([]);
  });

  it("name colours only among the tokens", () => {
    const literal = /#[0-9a-f]{3,8}\b(?=["'`;\s)])|\b(rgb|hsl|oklch)a?\(/i;
    const named = modules.filter(
      ({ file, source }) => file.endsWith(".tsx") && literal.test(source),
    );
    expect(named.map(({ file }) => file)).toEqual([]);
  });
});
