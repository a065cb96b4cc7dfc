import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import Sqlite from "better-sqlite3";
import { afterEach, describe, expect, it } from "vitest";
import { BROWSER_DATA, MEMORY_LIMITS } from "~/features/site/browser-data";
import { KEPT_GROUPS } from "~/features/site/kept-data.server";
import { loader } from "~/features/site/routes/privacy";
import { migrate } from "~db/migrate.server";
import { useTemporarySite } from "../../temporary-site";
import { IMPERSONAL_COLUMNS } from "./impersonal-columns";

type Columns = Readonly<Record<string, string>>;

const namesOf = (columns: Columns) =>
  Object.entries(columns).flatMap(([table, names]) =>
    names.split(" ").map((name) => `${table}.${name}`),
  );
const KEPT = KEPT_GROUPS.flatMap(({ kept }) => kept.flatMap(({ columns }) => namesOf(columns)));
const IMPERSONAL = namesOf(IMPERSONAL_COLUMNS);

/** Returns every column of a database, except those of the search index. */
function columnsOf(database: Sqlite.Database): string[] {
  const tables = database.pragma("main.table_list") as { name: string; type: string }[];
  return tables
    .filter(({ name, type }) => type !== "shadow" && !name.startsWith("sqlite_"))
    .flatMap(({ name }) =>
      (database.pragma(`table_xinfo(${name})`) as { name: string }[]).map(
        (column) => `${name}.${column.name}`,
      ),
    );
}

/** Returns the columns that are in neither list. */
const unnamed = (columns: string[]) =>
  columns.filter((column) => !KEPT.includes(column) && !IMPERSONAL.includes(column));

describe("the list of stored personal data", () => {
  const database = new Sqlite(":memory:");
  migrate(database);
  const columns = columnsOf(database);

  it("covers every database column, unless the column is listed as not personal", () => {
    expect(columns.length).toBeGreaterThan(250);
    expect(unnamed(columns)).toEqual([]);
  });

  it("contains only existing columns, each only once", () => {
    expect([...KEPT, ...IMPERSONAL].filter((name) => !columns.includes(name))).toEqual([]);
    expect(KEPT.filter((name) => IMPERSONAL.includes(name))).toEqual([]);
  });

  it("fails the check if a new column or table isn't listed", () => {
    database.exec("ALTER TABLE users ADD COLUMN telephone TEXT");
    database.exec("CREATE TABLE visits (address TEXT)");
    expect(unnamed(columnsOf(database)).sort()).toEqual(["users.telephone", "visits.address"]);
  });

  it("doesn't contain any column that could identify a visitor", () => {
    const suspicious = /address|agent|(^|_)ip($|_)|referr|country|latitude|query/i;
    const found = columns.filter((name) => suspicious.test(name.split(".")[1]!));
    // This is the URL of a file that an admin has imported.
    expect(found).toEqual(["downloads.address"]);
  });
});

const root = fileURLToPath(new URL("../../..", import.meta.url));
const sources = fs
  .readdirSync(path.join(root, "app"), { recursive: true, encoding: "utf8" })
  .filter((name) => /\.(?:tsx?|js)$/.test(name))
  .map((name) => {
    const file = `app/${name}`;
    return { file, source: fs.readFileSync(path.join(root, file), "utf8") };
  });

/** Modules that write cookies and keys for other modules, which pass the names to them. */
const GENERIC = [
  "app/platform/signed-cookie.server.ts",
  "app/features/visitor/browser-storage.ts",
  "app/features/visitor/transfer.ts",
  "app/features/upload/use-saved-texts.ts",
];

const WRITES: [pattern: RegExp, prefix: string][] = [
  [/\bsignedCookie\(\s*([\w"-]+)/g, ""],
  [/\b(?:storedValue|tabValue)(?:<[^(]*>)?\(\s*([\w":-]+)/g, "visitor."],
  [/\b(?:writeStored|tabStorage\.write)\(\s*([\w"-]+)/g, "visitor."],
  [/\b(?:local|session)Storage\.setItem\(\s*([\w":-]+)/g, ""],
  [/\buseSavedTexts\(\s*\w+,\s*([\w"-]+)/g, ""],
  [/["'`]?Set-Cookie["'`]?[,:]\s*(["'`][^"'`]*)/g, ""],
];

/** Returns the names of all cookies and keys that a source file writes. Constants are replaced with their values. */
function keysIn(source: string): string[] {
  return WRITES.flatMap(([pattern, prefix]) =>
    [...source.matchAll(pattern)].map(([, name = ""]) => {
      const value = name.startsWith('"')
        ? name.slice(1).replace(/"$/, "")
        : new RegExp(`const ${name}\\s*=\\s*"([^"]+)"`).exec(source)?.[1];
      return value === undefined ? `unknown ${name}` : prefix + value;
    }),
  );
}

describe("the list of data stored in the browser", () => {
  const listed = BROWSER_DATA.flatMap(({ keys }) => keys);

  it("contains exactly the cookies and keys that the code writes", () => {
    const written = sources
      .filter(({ file }) => !GENERIC.includes(file))
      .flatMap(({ source }) => keysIn(source));
    // This is the key prefix used by the tus client.
    const isUsed = sources.some(({ source }) => source.includes('"tus-js-client"'));
    if (isUsed) written.push("tus::");
    expect([...new Set(written)].sort()).toEqual([...listed].sort());
  });

  it("is checked against all ways of writing cookies and keys", () => {
    expect(keysIn('const KEY = "spy"; signedCookie(KEY, "1", 5)')).toEqual(["spy"]);
    expect(keysIn('storedValue<string[]>("x", (z) => z)')).toEqual(["visitor.x"]);
    expect(keysIn('writeStored("place", 1); sessionStorage.setItem("s", t)')).toEqual([
      "visitor.place",
      "s",
    ]);
    expect(keysIn("localStorage.setItem(nameOf(video), text)")).toEqual(["unknown nameOf"]);
  });

  it("is complete: no other browser storage is used", () => {
    const others =
      /\bindexedDB\b|\bdocument\.cookie\b|\bcookieStore\b|\.name = window|\bcaches\.open\b/;
    const found = sources.filter(({ source }) => others.test(source)).map(({ file }) => file);
    expect(found).toEqual(["app/features/site/offline/service-worker.js"]);
    const raw = sources
      .filter(({ source }) => /`\$\{COOKIE\}=|["'`]\w+=\$\{/.test(source) && /Max-Age/.test(source))
      .map(({ file }) => file)
      .filter((file) => !GENERIC.includes(file));
    // This module writes the only unsigned cookie, whose name is also passed to signedCookie().
    expect(raw).toEqual(["app/platform/age.server.ts"]);
  });
});

describe("the list of per-IP limits", () => {
  /** A module whose limits apply to email addresses for a day, as documented in the list of stored data. */
  const BY_EMAIL = "app/features/moderation/reports/report-mails.server.ts";
  const isByAddress = ({ file }: { file: string }) => file !== BY_EMAIL;
  const HAS_LIMIT = /^(?:export )?const \w+ = (?:attempt|address)Limit\(|[=:] limitedNetworkOf\(/m;
  const users = sources.filter(isByAddress).filter(({ source }) => HAS_LIMIT.test(source));

  it("contains every module that has such a limit", () => {
    expect(users.map(({ file }) => file).sort()).toEqual(Object.keys(MEMORY_LIMITS).sort());
  });

  it("promises that limits last an hour at most, and no limit exceeds that", () => {
    for (const { file, source } of users) {
      for (const [, constant, multiplied] of source.matchAll(
        /WINDOW_SECONDS = (\d+)(?: \* (\d+))?;/g,
      )) {
        const seconds = Number(constant) * Number(multiplied ?? 1);
        expect(seconds, file).toBeLessThanOrEqual(3_600);
      }
    }
  });
});

describe("the privacy page", () => {
  let site: ReturnType<typeof useTemporarySite>;
  afterEach(() => site.remove());

  it("shows the whole list with the configured times", async () => {
    site = useTemporarySite({
      AGE_CHECK_URL: "https://check.example/x",
      AGE_CHECK_SECRET: "s".repeat(32),
    });
    const request = new Request("http://site.example/privacy");
    const { groups, checksAges } = loader({ request, params: {}, context: {} });
    expect(groups.map(({ title }) => title)).toEqual(KEPT_GROUPS.map(({ title }) => title));
    for (const { kept } of groups) {
      for (const { what, why, howLong } of kept) {
        for (const message of [why, howLong]) expect(message).toMatch(/^[A-Z].+\.$/);
        expect(what).toMatch(/^[A-Z].+[^.]$/);
      }
    }
    expect(checksAges).toBe("check.example");
  });
});
