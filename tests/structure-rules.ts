import path from "node:path";
import ts from "typescript";

/** Which other rooms a room may use. `routes` and the files of `app` itself use any. */
const MAY_USE: Record<string, readonly string[]> = {
  shared: [],
  db: ["shared"],
  server: ["db", "shared"],
  account: ["db", "shared", "server", "ui"],
  catalogue: ["db", "shared", "server", "ui"],
  live: ["db", "shared", "server", "ui"],
  media: ["db", "shared", "server", "ui"],
  studio: ["db", "shared", "server", "ui", "media", "live", "account"],
  import: ["db", "shared", "server", "ui", "media", "live", "account"],
  player: ["ui"],
  ui: [],
};

/** Where SQL may stand, and the modules that speak it. */
const SQL_ROOMS = ["db", "account", "catalogue", "media", "studio", "import"];
const SQL_MODULES = ["kysely", "better-sqlite3"];
const SQL_NAMES =
  /import \{[^}]*\b(database|sqliteHandle|prepared)\b[^}]*\} from "~db\/client\.server"/;

export interface Module {
  /** Path from the repository's root, with slashes. */
  file: string;
  source: string;
}

/** The rules that a set of modules breaks, one sentence each; an empty list when all is well. */
export function brokenRules(modules: readonly Module[]): string[] {
  return modules.flatMap(({ file, source }) => {
    const room = roomOf(file);
    if (!room) return [];
    const imports = ts.preProcessFile(source).importedFiles.map(({ fileName }) => fileName);
    return imports.flatMap((specifier) => complaints(file, room, specifier, source));
  });
}

function complaints(file: string, room: string, specifier: string, source: string): string[] {
  const found: string[] = [];
  const says = (rule: string) => found.push(`${file} imports ${specifier}: ${rule}`);
  const target = resolve(file, specifier);
  const targetRoom = target && roomOf(target);
  const serverOnly = isServerOnly(target ?? specifier) && !isTypeOnly(source, specifier);

  if (targetRoom === "routes" && room !== "routes") says("nothing uses routes");
  if (serverOnly && ["ui", "player"].includes(room)) says(`${room} knows no server code`);
  const speaksSql = specifier === "~db/client.server" && SQL_NAMES.test(source);
  if ((speaksSql || SQL_MODULES.includes(specifier)) && !SQL_ROOMS.includes(room)) {
    says(`SQL stands only in ${SQL_ROOMS.join(", ")}`);
  }
  // What is pure (labels, formats, types) is everybody's.
  const free = !targetRoom || targetRoom === room || !isServerOnly(target);
  const allowed = MAY_USE[room]?.includes(targetRoom ?? "") ?? true;
  if (!free && !allowed && !isTypeOnly(source, specifier))
    says(`${room} does not use ${targetRoom}`);
  return found;
}

function isServerOnly(specifier: string): boolean {
  return /\.server(\.tsx?)?$/.test(specifier) || specifier.startsWith("node:");
}

function isTypeOnly(source: string, specifier: string): boolean {
  const imports = ts
    .createSourceFile("module.tsx", source, ts.ScriptTarget.Latest)
    .statements.filter(ts.isImportDeclaration)
    .filter(({ moduleSpecifier }) => (moduleSpecifier as ts.StringLiteral).text === specifier);
  return imports.length > 0 && imports.every(({ importClause }) => importClause?.isTypeOnly);
}

function resolve(file: string, specifier: string): string | undefined {
  if (specifier.startsWith("~/")) return `app/${specifier.slice(2)}`;
  if (specifier.startsWith("~db/")) return `db/${specifier.slice(4)}`;
  if (specifier.startsWith(".")) return path.posix.join(path.posix.dirname(file), specifier);
  return undefined;
}

function roomOf(file: string): string | undefined {
  if (file.startsWith("db/")) return "db";
  return file.match(/^app\/([a-z]+)\//)?.[1];
}
