import path from "node:path";
import ts from "typescript";

const TRUST_USES = [
  "shared",
  "db",
  "server",
  "ui",
  "catalogue",
  "media",
  "live",
  "account",
  "visibility",
];

/**
 * Which other rooms a room may use, its types included. Routes, and the modules directly in `app` that
 * start everything, use any. Whoever uses `ui` or `live` from a component has only their browser part.
 */
const MAY_USE: Record<string, readonly string[]> = {
  shared: [],
  db: ["shared"],
  server: ["shared", "db"],
  visibility: ["shared", "db"],
  live: ["shared", "db", "server"],
  ui: ["shared", "live"],
  player: ["shared", "ui"],
  account: ["shared", "db", "server", "ui", "live"],
  catalogue: ["shared", "db", "server", "media", "visibility"],
  media: ["shared", "db", "server", "ui", "visibility"],
  trust: TRUST_USES,
  studio: [...TRUST_USES, "trust"],
  import: [...TRUST_USES, "trust"],
  api: [
    "shared",
    "db",
    "server",
    "ui",
    "catalogue",
    "media",
    "account",
    "trust",
    "studio",
    "visibility",
  ],
};
const KNOWS_NO_SERVER = ["ui", "player"];

/** Where SQL may stand, and the modules that speak it. */
const SQL_ROOMS = [
  "db",
  "visibility",
  "account",
  "catalogue",
  "media",
  "trust",
  "studio",
  "import",
  "api",
];
const SQL_MODULES = ["kysely", "better-sqlite3"];
const SQL_NAMES = ["database", "sqliteHandle", "prepared"];

/**
 * Modules that remove files. All others call media/files, which checks that nothing refers to a file.
 */
const MAY_REMOVE: Record<string, string> = {
  "app/media/files/removals.server.ts": "the queue",
  "app/media/files/temporary-files.server.ts": "files that nobody else knows",
  "app/media/files/local-copies.server.ts": "copies of files that the store has",
  "app/media/storage/folder-store.server.ts": "objects of a store that is a folder",
  "app/media/intake/move-into-bucket.server.ts": "empty folders that reserve upload ids",
  "app/import/import-batch.server.ts": "sources of `--move`, after their rows are committed",
  "app/shared/move-files.server.ts":
    "the source, or an incomplete copy, of a move across file systems",
  "app/server/health.server.ts": "its file that probes whether the disk is writable",
  "app/studio/backups/backup-files.server.ts": "parts of a backup",
  "app/studio/backups/backup-folder.server.ts": "its file that probes whether the disk is writable",
  "app/studio/backups/copy-database.server.ts": "an incomplete copy of the database",
  "app/studio/backups/make-backup.server.ts": "an unfinished backup",
  "app/studio/backups/prove-backup.server.ts": "the folder of a test restore",
  "app/studio/backups/restore-backup.server.ts": "copies that a restore has made",
  "app/studio/backups/stored-backups.server.ts": "old backups, after a newer one was verified",
  "db/migrate.server.ts": "an incomplete copy of the database",
};
const REMOVES = /\b(?:rm|unlink|rmdir)(?:Sync)?\(/;

/** The only modules that write what people intend with a video, and what holds it. */
const WRITES_VISIBILITY = /^(?:app\/visibility|db\/migrations)\//;
const INTENTION = "(?:status|publish_at|unpublish_at|held)";
const VISIBILITY_WRITES = [
  /\b(?:INTO|UPDATE|DELETE FROM)\s+video_holds\b/,
  /\b(?:insertInto|updateTable|deleteFrom)\("video_holds"\)/,
  new RegExp(`\\bUPDATE videos SET\\b(?:(?!WHERE)[^\`"])*\\b${INTENTION}\\s*=`),
  new RegExp(`\\b(?:updateTable|insertInto)\\("videos"\\)[^;]*?[{\\s]${INTENTION}[:,\\s}]`),
];

/** The modules that end sessions and tokens: one function, what has run out, and a token that its owner revokes. */
const ENDS_ACCESS = new Set([
  "app/account/end-access.server.ts",
  "app/account/session.server.ts",
  "app/account/tokens/tokens.server.ts",
]);
const ACCESS_ENDS = /DELETE FROM (?:sessions|api_tokens)\b|deleteFrom\("(?:sessions|api_tokens)"\)/;

/** The modules that compute or compare signatures, and why they don't call server/signed-value. */
const MAY_SIGN: Record<string, string> = {
  "app/server/signed-value.server.ts": "signs for all others",
  "app/media/storage/cdn.server.ts": "URLs as the CDN specifies them",
  "app/studio/alerts/webhook.server.ts": "headers as Standard Webhooks specifies them",
  "app/studio/monitoring/metrics-access.server.ts": "compares a token of the settings",
};
const SIGNS = /\b(?:createHmac|timingSafeEqual)\b|"cookie-signature"/;
/** Alerts, to the operator's address, and reports, whose recipients anybody enters and which limit what these get. */
const SENDS_EMAIL = new Set([
  "app/server/mail/email.server.ts",
  "app/studio/alerts/deliver.server.ts",
  "app/trust/reports/report-mails.server.ts",
]);

export interface Module {
  /** Path from the repository's root, with slashes. */
  file: string;
  source: string;
}

interface Import {
  specifier: string;
  isTypeOnly: boolean;
  /** Empty for `import()`, a side effect, and a namespace. */
  names: string[];
}

/** The rules that a set of modules breaks, one sentence each; an empty list when all is well. */
export function brokenRules(modules: readonly Module[]): string[] {
  const files = new Set(modules.map(({ file }) => file));
  const uses = new Map<string, string[]>();
  const broken = modules.flatMap(({ file, source }) => {
    const imports = importsOf(source);
    uses.set(
      file,
      imports.flatMap(({ specifier }) => fileOf(file, specifier, files) ?? []),
    );
    return imports.flatMap((one) => complaints(file, one).map((rule) => `${file} ${rule}`));
  });
  return [
    ...broken,
    ...modules.flatMap(removalRules),
    ...modules.flatMap(visibilityRules),
    ...modules.flatMap(accessRules),
    ...modules.flatMap(signatureRules),
    ...modules.flatMap(emailRules),
    ...circlesIn(uses),
  ];
}

function visibilityRules({ file, source }: Module): string[] {
  if (WRITES_VISIBILITY.test(file)) return [];
  const writes = VISIBILITY_WRITES.some((pattern) => pattern.test(source));
  return writes ? [`${file} writes who may see a video, which app/visibility does`] : [];
}

function accessRules({ file, source }: Module): string[] {
  if (ENDS_ACCESS.has(file) || !ACCESS_ENDS.test(source)) return [];
  return [`${file} ends sessions or tokens, which app/account/end-access does`];
}

function signatureRules({ file, source }: Module): string[] {
  if (SIGNS.test(source) === file in MAY_SIGN) return [];
  const rule =
    file in MAY_SIGN
      ? "signs nothing; delete its entry"
      : "signs, which app/server/signed-value does";
  return [`${file} ${rule}`];
}

function emailRules({ file, source }: Module): string[] {
  if (SENDS_EMAIL.has(file) || !/\bsendEmail\(|["']nodemailer["']/.test(source)) return [];
  return [`${file} sends emails, which only alerts and reports do`];
}

function removalRules({ file, source }: Module): string[] {
  const removes = /"node:fs(?:\/promises)?"/.test(source) && REMOVES.test(source);
  if (removes === file in MAY_REMOVE) return [];
  return [
    `${file} ${removes ? "removes files, which app/media/files does" : "removes no files; delete its entry"}`,
  ];
}

function complaints(file: string, { specifier, isTypeOnly, names }: Import): string[] {
  const room = roomOf(file);
  const rules = MAY_USE[room ?? ""];
  const target = resolve(file, specifier);
  const targetRoom = target && roomOf(target);
  const found: string[] = [];
  const says = (rule: string) => found.push(`imports ${specifier}: ${rule}`);

  if (targetRoom === "routes" && room) says("nothing uses routes");
  else if (rules && targetRoom && targetRoom !== room && !rules.includes(targetRoom)) {
    says(`${room} does not use ${targetRoom}`);
  }
  const isServerOnly = /\.server(\.tsx?)?$/.test(specifier) || specifier.startsWith("node:");
  if (KNOWS_NO_SERVER.includes(room ?? "") && isServerOnly && !isTypeOnly) {
    says(`${room} knows no server code`);
  }
  const speaksSql =
    SQL_MODULES.includes(specifier) ||
    (target === "db/client.server" && names.some((name) => SQL_NAMES.includes(name)));
  if (room && speaksSql && !SQL_ROOMS.includes(room)) {
    says(`SQL stands only in ${SQL_ROOMS.join(", ")}`);
  }
  return found;
}

/** Every import and re-export, those of types included, and `import()`. */
function importsOf(source: string): Import[] {
  const declared = new Map<string, Import[]>();
  for (const node of ts.createSourceFile("m.tsx", source, ts.ScriptTarget.Latest).statements) {
    if (!ts.isImportDeclaration(node)) continue;
    const { text } = node.moduleSpecifier as ts.StringLiteral;
    const bindings = node.importClause?.namedBindings;
    const elements = bindings && ts.isNamedImports(bindings) ? [...bindings.elements] : [];
    const names = elements.map(({ propertyName, name }) => (propertyName ?? name).text);
    const isTypeOnly = node.importClause?.isTypeOnly ?? false;
    declared.set(text, [...(declared.get(text) ?? []), { specifier: text, isTypeOnly, names }]);
  }
  const all = ts.preProcessFile(source).importedFiles.map(({ fileName }) => fileName);
  return [...new Set(all)].flatMap(
    (specifier) => declared.get(specifier) ?? [{ specifier, isTypeOnly: false, names: [] }],
  );
}

/** Each group of modules that lead back to themselves (Tarjan's strongly connected components). */
function circlesIn(uses: ReadonlyMap<string, readonly string[]>): string[] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const circles: string[] = [];

  function visit(file: string): number {
    const number = order.size;
    order.set(file, number);
    open.push(file);
    let low = number;
    for (const next of uses.get(file) ?? []) {
      if (!order.has(next)) low = Math.min(low, visit(next));
      else if (open.includes(next)) low = Math.min(low, lowest.get(next) ?? order.get(next) ?? low);
    }
    lowest.set(file, low);
    if (low === number) {
      const group = open.splice(open.indexOf(file));
      if (group.length > 1) circles.push(`${group.join(", ")} import each other in a circle`);
    }
    return low;
  }
  for (const file of uses.keys()) if (!order.has(file)) visit(file);
  return circles;
}

function fileOf(from: string, specifier: string, files: ReadonlySet<string>): string | undefined {
  const target = resolve(from, specifier);
  return target && [target, `${target}.ts`, `${target}.tsx`].find((name) => files.has(name));
}

function resolve(file: string, specifier: string): string | undefined {
  const target = specifier.replace(/\?.*$/, "");
  if (target.startsWith("~/")) return `app/${target.slice(2)}`;
  if (target.startsWith("~db/")) return `db/${target.slice(4)}`;
  if (target.startsWith(".")) return path.posix.join(path.posix.dirname(file), target);
  return undefined;
}

function roomOf(file: string): string | undefined {
  if (file.startsWith("db/")) return "db";
  return file.match(/^app\/([a-z]+)\//)?.[1];
}
