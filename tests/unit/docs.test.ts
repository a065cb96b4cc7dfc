import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parseSettings, SETTING_NAMES } from "~/server/settings.server";
import { scripts } from "../../package.json";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (file: string) => fs.readFileSync(path.join(root, file), "utf8");
const below = (folder: string) =>
  fs
    .readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
    .map((name) => path.join(folder, name));

const RECORDS = below("docs/decisions").filter((name) => name.endsWith(".md"));
const PAGES = [
  ...fs.readdirSync(root).filter((name) => name.endsWith(".md")),
  ...fs
    .readdirSync(path.join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
  ...below("docs/how-to"),
];

/** A path in backticks, or the file that a link leads to; not what only a running site has. */
function pathsIn(page: string): string[] {
  const text = read(page);
  const named = text.matchAll(/`((?:app|db|docs|scripts|tests|\.ci|\.github)\/[\w./-]+)`/g);
  const linked = text.matchAll(/\]\((?!\w+:|#)([^)#]+)/g);
  return [
    ...[...named].map(([, name]) => name!).filter((name) => !name.startsWith("db/data/")),
    ...[...linked].map(([, name]) => path.join(path.dirname(page), name!)),
  ];
}

describe("the documents", () => {
  it.each(PAGES)("%s names only files that exist", (page) => {
    const missing = pathsIn(page).filter((name) => !fs.existsSync(path.join(root, name)));
    expect(missing).toEqual([]);
  });

  it("name only commands that exist", () => {
    const unknown = [...PAGES, "compose.yaml", ".env.example"].flatMap((page) =>
      [...read(page).matchAll(/npm run ([\w:-]+)/g)]
        .filter(([, name]) => !Object.hasOwn(scripts, name!))
        .map(([command]) => `${page}: ${command}`),
    );
    expect(unknown).toEqual([]);
  });

  it("link each of the eight questions of a newcomer to three files at most", () => {
    const table = /## Where things are\n([\s\S]*?)\n## /.exec(read("CONTRIBUTING.md"))![1]!;
    const questions = table
      .split("\n")
      .filter((line) => line.startsWith("|"))
      .slice(2);
    expect(questions).toHaveLength(8);
    for (const question of questions) {
      const files = question.match(/`[^`]+`/g) ?? [];
      expect(files.length, question).toBeGreaterThan(0);
      expect(files.length, question).toBeLessThanOrEqual(3);
    }
  });
});

describe("the records of decisions", () => {
  it("are named by date and subject, and say context, decision and consequences", () => {
    expect(RECORDS.length).toBeGreaterThan(20);
    for (const record of RECORDS) {
      expect(path.basename(record)).toMatch(/^20\d\d-\d\d-\d\d-[a-z0-9-]+\.md$/);
      expect(read(record), record).toMatch(/^# /);
      for (const part of ["Context", "Decision", "Consequences"]) {
        expect(read(record), record).toMatch(new RegExp(`\\*\\*${part}|^## ${part}`, "m"));
      }
    }
  });
});

describe("the settings", () => {
  const example = read(".env.example");
  const lines = [...example.matchAll(/^#([A-Z_]+)=(.*)$/gm)];
  /** Shown as an example, because their default is not a value. */
  const EXAMPLES = ["HOST", "ADMIN_EMAIL", "PUBLIC_URL", "ACCEL_PREFIX"];

  it("are all in .env.example, each with its default, and switched off", () => {
    expect(lines.map(([, name]) => name).sort()).toEqual([...SETTING_NAMES].sort());
    expect(example).not.toMatch(/^[^#\n]/m);
    const shown = Object.fromEntries(lines.map(([, name, value]) => [name!, value]));
    for (const name of EXAMPLES) parseSettings({ [name]: shown[name] });
    expect(
      parseSettings({ ...shown, ...Object.fromEntries(EXAMPLES.map((name) => [name, ""])) }),
    ).toEqual(parseSettings({}));
  });

  it("are all in the table of docs/operating.md", () => {
    const table = /## Settings\n([\s\S]*?)\n## /.exec(read("docs/operating.md"))![1]!;
    const named = table
      .split("\n")
      .filter((line) => line.startsWith("| `"))
      .flatMap((line) => line.split("|")[1]!.match(/[A-Z_]+/g) ?? []);
    const forOperators = SETTING_NAMES.filter((name) => name !== "NODE_ENV");
    expect(named.sort()).toEqual([...forOperators].sort());
  });
});

/** A comment may break its line between any two words. */
const onOneLine = (source: string) => source.replaceAll(/\n\s*(\*|\/\/)\s+/g, " ");

describe("the specification", () => {
  const specification = read("docs/specification.md");
  const sources = ["app", "db", "scripts", "tests"]
    .flatMap(below)
    .filter((file) => /\.(tsx?|mjs)$/.test(file) && !file.endsWith("docs.test.ts"));
  const citations = sources.flatMap((file) =>
    [
      ...onOneLine(read(file)).matchAll(/specification, section (\d+)(?:, ([A-Z]\w+(?: \w+)?))?/gi),
    ].map(([text, section, heading]) => ({ file, text, section: section!, heading })),
  );

  it("has every section that the code refers to", () => {
    expect(citations.length).toBeGreaterThan(20);
    for (const { file, text, section, heading } of citations) {
      expect(specification, `${file}: ${text}`).toMatch(new RegExp(`^## ${section}\\. `, "m"));
      if (heading) {
        expect(specification, `${file}: ${text}`).toMatch(new RegExp(`^### ${heading}$`, "mi"));
      }
    }
  });

  it("is named wherever a section is referred to without a standard", () => {
    const bare = sources.flatMap((file) =>
      [...onOneLine(read(file)).matchAll(/^.*\bsection \d.*$/gim)]
        .map(([line]) => line!)
        .filter((line) => !/specification|RFC \d+|^\s*-- section/i.test(line))
        .map((line) => `${file}: ${line.trim()}`),
    );
    expect(bare).toEqual([]);
  });
});
