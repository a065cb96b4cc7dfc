import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * The site's modules in the order of their dependencies. Each module uses only those before it. The files that start
 * the site (`app/boot.server.ts`, `app/root.tsx`, the entries) and the route modules can use any module.
 */
const ORDER = [
  "shared",
  "db",
  "ui",
  "platform",
  "media",
  "visibility",
  "permissions",
  "processing",
  "consent",
  "trash",
  "visitor",
  "catalogue",
  "player",
  "watch",
  "accounts",
  "moderation",
  "upload",
  "library",
  "operations",
  "age",
  "site",
  "api",
  "app",
  "routes",
];
/** Modules that run in the browser. They use only each other and code that is shared with the server. */
const BROWSER = ["shared", "ui", "visitor", "player"];
/** Modules that query the database only through the module that owns the rows. */
const WITHOUT_SQL = ["shared", "ui", "visitor", "player", "routes", "age"];
const SQL =
  /from "(?:kysely|better-sqlite3)"|import (?!type)[^;]*\b(?:database|sqliteHandle|prepared)\b[^;]* from "~db\/client\.server"/;

/** Actions that only some files may perform, with the reason for each file. */
const OWNED: {
  rule: string;
  pattern: RegExp;
  owners: Record<string, string>;
  /** The files to which the rule applies, or undefined for all files. */
  files?: RegExp;
}[] = [
  {
    rule: "removes files, which media/files/removals does",
    pattern: /"node:fs(?:\/promises)?"[\s\S]*\b(?:rm|unlink|rmdir)(?:Sync)?\(/,
    owners: {
      "app/media/files/removals.server.ts": "the queue of removals",
      "app/media/files/temporary-files.server.ts": "files that no row names",
      "app/media/files/local-copies.server.ts": "copies of files that the store has",
      "app/media/storage/folder-store.server.ts": "objects of a store that is a folder",
      "app/media/intake/move-into-bucket.server.ts": "empty folders that reserve upload ids",
      "app/features/upload/import/import-batch.server.ts":
        "sources of `--move`, after their rows are committed",
      "app/shared/move-files.server.ts":
        "the source, or an incomplete copy, of a move across file systems",
      "app/platform/health.server.ts": "its file that probes whether the disk is writable",
      "app/features/operations/backups/backup-files.server.ts": "parts of a backup",
      "app/features/operations/backups/backup-folder.server.ts":
        "its folder that probes whether the disk is writable, and old backups",
      "app/features/operations/backups/copy-database.server.ts":
        "an incomplete copy of the database",
      "app/features/operations/backups/create-backup.server.ts": "an unfinished backup",
      "app/features/operations/backups/verify-backup.server.ts": "the folder of a test restore",
      "app/features/operations/backups/restore-backup.server.ts": "copies that a restore created",
      "db/migrate.server.ts": "an incomplete copy of the database",
    },
  },
  {
    rule: "writes who may see a video, which features/visibility does",
    pattern:
      /\b(?:INTO|UPDATE|DELETE FROM)\s+video_holds\b|\b(?:insertInto|updateTable|deleteFrom)\("video_holds"\)|\bUPDATE videos SET\b(?:(?!WHERE)[^`"])*\b(?:status|publish_at|unpublish_at|held)\s*=|\b(?:updateTable|insertInto)\("videos"\)[^;]*?[{\s](?:status|publish_at|unpublish_at|held)[:,\s}]/,
    owners: {
      "app/features/visibility/holds.server.ts": "holds",
      "app/features/visibility/visibility.server.ts": "intentions",
      "db/migrations/baseline-holds.ts": "its triggers",
    },
  },
  {
    rule: "ends sessions or tokens, which features/accounts/end-access does",
    pattern: /DELETE FROM (?:sessions|api_tokens)\b|deleteFrom\("(?:sessions|api_tokens)"\)/,
    owners: {
      "app/features/accounts/end-access.server.ts": "for all others",
      "app/features/permissions/session.server.ts": "sessions that have expired",
      "app/features/accounts/tokens/tokens.server.ts": "a token that its owner revokes",
    },
  },
  {
    rule: "signs, which platform/signed-value does",
    pattern: /\b(?:createHmac|timingSafeEqual)\b|"cookie-signature"/,
    owners: {
      "app/platform/signed-value.server.ts": "for all others",
      "app/media/serve/serve-stored.server.ts": "URLs as the CDN specifies them",
      "app/features/operations/alerts/deliver.server.ts": "headers of Standard Webhooks",
      "app/features/operations/monitoring/metrics.server.ts": "a token of the settings",
    },
  },
  {
    rule: "sends emails, which only alerts and reports do",
    pattern: /\bsendEmail\(|["']nodemailer["']/,
    owners: {
      "app/platform/mail/email.server.ts": "the function",
      "app/features/operations/alerts/deliver.server.ts": "to the operator's address",
      "app/features/moderation/reports/report-mails.server.ts":
        "limits requests to URLs that anyone can enter",
    },
  },
  {
    rule: "reads the environment, which platform/settings does",
    pattern: /process\.env/,
    owners: { "app/platform/settings.server.ts": "the settings" },
  },
  {
    rule: "starts a process, which platform/child-process does",
    pattern: /^import (?!type\b)[^;]*? from "(?:node:child_process|execa)";/ms,
    owners: {
      "app/platform/child-process.server.ts": "with an allow-listed environment",
      "app/features/operations/backups/backup-files.server.ts": "`sync`, which reads no settings",
    },
  },
  {
    rule: "starts a thread, which db/threads/thread does",
    pattern: /new Worker\(/,
    owners: { "db/threads/thread.server.ts": "for all others" },
  },
  {
    rule: "decodes images, which only the image process does",
    pattern: /from "sharp"/,
    owners: { "app/media/images/image-process.server.ts": "in a process with limits" },
  },
  {
    rule: "opens a transaction, which db/client does",
    pattern: /\.startTransaction\(\)|\.transaction\([^)]*\)(?:\.immediate\b|\.execute\b)/,
    owners: {
      "db/client.server.ts": "for all others",
      "db/projector.server.ts": "when it updates derived data",
    },
  },
  {
    rule: "has a timer or global state, which db/runtime does",
    files: /^db\/|\.server\.tsx?$/,
    pattern: /globalThis|setInterval\(/,
    owners: { "db/runtime.server.ts": "for all others" },
  },
];

/** Module variables that belong to the process rather than to the runtime. */
const PROCESS_VARIABLES = [
  "app/media/probe/ffmpeg.server.ts: tools",
  "app/platform/node/middleware.server.ts: middleware",
  "app/platform/node/request-context.server.ts: listeners",
  "app/platform/node/request-context.server.ts: naming",
  "app/platform/node/request-context.server.ts: subscribed",
  "app/platform/settings.server.ts: current",
  "db/client.server.ts: databaseFile",
  "db/client.server.ts: isReplica",
  "db/litestream.server.ts: litestreamSetting",
];

interface Module {
  /** The path relative to the repository root, with forward slashes. */
  file: string;
  source: string;
}

afterAll(() => console.info(`Lines by module: ${sizes().join(", ")}`));

describe("module dependencies", () => {
  it("go in one direction", () => {
    expect(MODULES.length).toBeGreaterThan(100);
    expect(brokenRules(MODULES)).toEqual([]);
  });

  it.each([
    [
      "app/shared/x.ts",
      'import { settings } from "~/platform/settings.server";',
      "not use platform",
    ],
    ["app/shared/x.ts", 'import type { Row } from "~db/schema";', "shared may not use db"],
    [
      "db/x.ts",
      'import { hub } from "../app/platform/live/hub.server";',
      "db may not use platform",
    ],
    ["app/media/x.ts", 'export { x } from "~/features/library/edit.server";', "not use library"],
    ["app/features/upload/x.ts", 'const x = import("../library/x.server");', "not use library"],
    [
      "app/features/api/x.ts",
      'import { loader } from "../site/routes/dmca";',
      "may not use routes",
    ],
    [
      "app/ui/x.tsx",
      'import type { User } from "~/features/accounts/x.server";',
      "not use accounts",
    ],
    ["app/features/player/x.ts", 'import fs from "node:fs";', "runs in the browser"],
    ["app/features/age/routes/x.ts", 'import { prepared } from "~db/client.server";', "uses SQL"],
    ["app/features/site/routes/x.ts", 'import { sql } from "kysely";', "uses SQL"],
    ["app/x.ts", 'import { rm } from "node:fs/promises"; rm("a");', "removes files"],
    ["app/x.ts", `"UPDATE videos SET status = 'hidden' WHERE id = ?"`, "writes who may see"],
    ["app/x.ts", 'db.updateTable("videos").set({ status }).where(a)', "writes who may see"],
    ["app/x.ts", '"INSERT OR IGNORE INTO video_holds (video_id) VALUES (?)"', "writes who may see"],
    ["app/x.ts", '"DELETE FROM api_tokens WHERE id = ?"', "ends sessions or tokens"],
    ["app/x.ts", 'import { createHmac } from "node:crypto";', "signs, which"],
    ["app/x.ts", "await sendEmail(server, { from, to }, email);", "sends emails"],
    ["app/x.ts", "database().transaction().execute(a)", "opens a transaction"],
    ["app/platform/health.server.ts", "", "no longer"],
  ])("are rejected in %s: %s", (file, source, rule) => {
    expect(brokenRules([{ file, source }]).join("\n")).toContain(rule);
  });

  it.each([
    ["app/features/site/routes/x.tsx", 'import { edit } from "~/features/library/edit.server";'],
    ["app/features/player/x.ts", 'import type { Row } from "~/shared/x.server";'],
    ["app/boot.server.ts", 'import { database } from "~db/client.server";'],
    ["app/x.ts", `"UPDATE videos SET views = 1 WHERE status = 'published'"`],
  ])("are allowed in %s: %s", (file, source) => {
    expect(brokenRules([{ file, source }])).toEqual([]);
  });
});

describe("the source files", () => {
  it("in features/*/routes are routes or are used only by routes", () => {
    const declared = fs.readFileSync(path.join(root, "app/routes.ts"), "utf8");
    const unused = MODULES.filter(
      ({ file }) =>
        moduleOf(file) === "routes" &&
        !declared.includes(`"${file.slice(4)}"`) &&
        !MODULES.some(
          (other) =>
            path.dirname(other.file) === path.dirname(file) &&
            importsOf(other.source).includes(`./${path.basename(file).replace(/\.tsx?$/, "")}`),
        ),
    );
    expect(unused.map(({ file }) => file)).toEqual([]);
  });

  it("load the studio's styles on each of its pages", () => {
    const sheet = fs.readFileSync(path.join(root, "app/ui/site.css"), "utf8");
    const [, features = ""] = sheet.match(/features\/\{(.*)\}"/) ?? [];
    const isPage = new RegExp(
      `^app/features/(?:${features.replaceAll(",", "|")})/routes/.*\\.tsx$`,
    );
    const declared = fs.readFileSync(path.join(root, "app/routes.ts"), "utf8");
    const pages = MODULES.filter(
      ({ file }) => isPage.test(file) && declared.includes(`"${file.slice(4)}"`),
    );
    expect(pages.length).toBeGreaterThan(10);
    const unstyled = pages.filter(({ source }) => !source.includes("/site/admin-navigation"));
    expect(unstyled.map(({ file }) => file)).toEqual([]);
  });

  it("are named in kebab-case", () => {
    const invalid = MODULES.filter(
      ({ file }) => !/^[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(path.basename(file)),
    );
    expect(invalid.map(({ file }) => file)).toEqual([]);
  });

  it("keep process state in the runtime", () => {
    const variable =
      /^(?:export )?let (\w+)|^const (\w+).*= (?:\[\]|new (?:Map|Set|LRUCache)(?:<.*>)?\(\)|Promise\.resolve\(\));$/gm;
    const found = MODULES.filter(
      ({ file }) => /^db\/|\.server\.tsx?$/.test(file) && file !== "db/runtime.server.ts",
    ).flatMap(({ file, source }) =>
      [...source.matchAll(variable)].map(
        ([, letName, constName]) => `${file}: ${letName ?? constName}`,
      ),
    );
    expect(found.sort()).toEqual(PROCESS_VARIABLES);
  });

  it("use a different name for each piece of runtime state", () => {
    const names = MODULES.flatMap(({ source }) =>
      [
        ...source.matchAll(/\b(?:processState|attemptLimit)(?:<[^()]*>)?\(\s*(["`][^"`]+["`])/g),
      ].map(([, name]) => name),
    );
    expect(names.length).toBeGreaterThan(40);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it("define colors only as design tokens", () => {
    const literal = /#[0-9a-f]{3,8}\b(?=["'`;\s)])|\b(rgb|hsl|oklch)a?\(/i;
    const named = MODULES.filter(
      ({ file, source }) => file.endsWith(".tsx") && literal.test(source),
    );
    expect(named.map(({ file }) => file)).toEqual([]);
  });
});

const MODULES: readonly Module[] = ["app", "db"].flatMap((folder) =>
  fs
    .readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => path.posix.join(folder, file.split(path.sep).join("/")))
    .map((file) => ({ file, source: fs.readFileSync(path.join(root, file), "utf8") })),
);

function sizes(): string[] {
  const lines = new Map<string, number>();
  for (const { file, source } of MODULES) {
    const module = moduleOf(file);
    lines.set(module, (lines.get(module) ?? 0) + source.split("\n").length);
  }
  const all = [...lines.values()].reduce((sum, count) => sum + count, 0);
  return ORDER.map((module) => {
    const count = lines.get(module) ?? 0;
    return `${module} ${count} (${((100 * count) / all).toFixed(1)} %)`;
  });
}

/** Returns a message for each rule that a set of modules breaks. Biome checks for import cycles. */
function brokenRules(modules: readonly Module[]): string[] {
  return modules.flatMap(({ file, source }) => {
    const own = moduleOf(file);
    const found = importsOf(source).flatMap((specifier) => {
      const target = resolve(file, specifier);
      const used = target && moduleOf(target);
      if (!used || used === own || ORDER.indexOf(used) < ORDER.indexOf(own)) return [];
      return [`${own} may not use ${used}: ${specifier}`];
    });
    if (BROWSER.includes(own) && !file.endsWith(".server.ts") && SERVER_CODE.test(source)) {
      found.push("runs in the browser, but imports server code");
    }
    const isHelper = own === "routes" && file.endsWith(".server.ts");
    if (WITHOUT_SQL.includes(own) && !isHelper && SQL.test(source)) found.push("uses SQL");
    for (const { rule, pattern, owners, files } of OWNED) {
      if (files && !files.test(file)) continue;
      if (pattern.test(source) && !(file in owners)) found.push(rule);
      if (!pattern.test(source) && file in owners)
        found.push(`no longer ${rule}: delete its entry`);
    }
    return found.map((each) => `${file} ${each}`);
  });
}

const SERVER_CODE = /^(?:import|export) (?!type)[^;]*? from "(?:node:[^"]*|[^"]*\.server)";/m;

/** Returns the targets of every import, re-export and `import()`, including those of types. */
function importsOf(source: string): string[] {
  const found = source.matchAll(/(?:\bfrom|^import|\bimport\()\s*"([^"\n]+)"/gm);
  return [...new Set([...found].map(([, specifier = ""]) => specifier))];
}

function resolve(file: string, specifier: string): string | undefined {
  const target = specifier.replace(/\?.*$/, "");
  if (target.startsWith("~/")) return `app/${target.slice(2)}`;
  if (target.startsWith("~db/")) return `db/${target.slice(4)}`;
  const own = target.startsWith(".") && path.posix.join(path.posix.dirname(file), target);
  return own && /^(?:app|db)\//.test(own) ? own : undefined;
}

function moduleOf(file: string): string {
  if (/^app\/features\/[\w-]+\/routes\//.test(file)) return "routes";
  const [, feature] = file.match(/^app\/features\/([\w-]+)\//) ?? [];
  const [, folder] = file.match(/^app\/([\w-]+)\//) ?? [];
  return feature ?? folder ?? (file.startsWith("db/") ? "db" : "app");
}
