import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { parseSettings, SETTING_NAMES } from "~/platform/settings.server";
import { ALERT_KINDS } from "~db/schema/operations";
import { scripts } from "../../package.json";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (file: string) => fs.readFileSync(path.join(root, file), "utf8");
const below = (folder: string) =>
  fs
    .readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
    .map((name) => path.join(folder, name));

const PAGES = [
  ...fs.readdirSync(root).filter((name) => name.endsWith(".md")),
  ...below("docs").filter((name) => name.endsWith(".md")),
];

/** Returns all paths in backticks and all link targets, except for files that exist only on a running site. */
function pathsIn(page: string): string[] {
  const text = read(page);
  const named = text.matchAll(/`((?:app|db|docs|scripts|tests|\.ci|\.github)\/[\w./-]+)`/g);
  const linked = text.matchAll(/\]\((?!\w+:|#)([^)#]+)/g);
  return [
    ...[...named].map(([, name]) => name!).filter((name) => !name.startsWith("db/data/")),
    ...[...linked].map(([, name]) => path.join(path.dirname(page), name!)),
  ];
}

/** Returns the anchor that GitHub generates for a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
const anchorsOf = (page: string) =>
  [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchorOf(heading!));

describe("the documentation", () => {
  it("mentions only existing functions and constants on the architecture page", () => {
    const names = [...read("docs/explanation/architecture.md").matchAll(/`(\w+)(?:\([^`]*)?`/g)]
      .map(([, name]) => name!)
      .filter((name) => /[a-z][A-Z]/.test(name));
    const code = ["app", "db", "scripts", "tests"]
      .flatMap(below)
      .filter((name) => /\.tsx?$/.test(name))
      .map(read)
      .join("\n");
    expect(names.length).toBeGreaterThan(10);
    const declared = (name: string) => new RegExp(`(?:function|const|class) ${name}\\b`).test(code);
    expect(names.filter((name) => !declared(name))).toEqual([]);
  });

  it("links only to existing files and headings", () => {
    expect(PAGES.length).toBeGreaterThan(20);
    const files = PAGES.flatMap((page) =>
      pathsIn(page)
        .filter((name) => !fs.existsSync(path.join(root, name)))
        .map((name) => `${page}: ${name}`),
    );
    const headings = PAGES.flatMap((page) =>
      [...read(page).matchAll(/\]\((?!\w+:)([^)#]*)#([^)]+)\)/g)]
        .filter(([, file, anchor]) => {
          const target = file ? path.join(path.dirname(page), file) : page;
          return !anchorsOf(target).includes(anchor!);
        })
        .map(([link]) => `${page}: ${link}`),
    );
    expect([...files, ...headings]).toEqual([]);
  });

  it("mentions only existing commands", () => {
    const unknown = [...PAGES, "compose.yaml", ".env.example"].flatMap((page) =>
      [...read(page).matchAll(/npm run ([\w:-]+)/g)]
        .filter(([, name]) => !Object.hasOwn(scripts, name!))
        .map(([command]) => `${page}: ${command}`),
    );
    expect(unknown).toEqual([]);
  });

  it("has a runbook section for every alert from the site or Prometheus", () => {
    const { groups } = parse(read("docs/monitoring/alerts.yml")) as {
      groups: { rules: { annotations: { runbook: string } }[] }[];
    };
    const links = groups.flatMap(({ rules }) => rules.map((rule) => rule.annotations.runbook));
    expect(links.length).toBeGreaterThan(10);
    const runbook = "docs/how-to/runbook.md";
    const sections = anchorsOf(runbook).map((anchor) => `${runbook}#${anchor}`);
    const own = ALERT_KINDS.map((kind) => `${runbook}#${kind}`);
    expect(sections).toEqual(expect.arrayContaining([...links, ...own]));
  });
});

describe("settings", () => {
  const example = read(".env.example");
  const lines = [...example.matchAll(/^#([A-Z_]+)=(.*)$/gm)];
  /** Settings with an example instead of the default, because their default isn't a plain value. */
  const EXAMPLES = ["HOST", "ADMIN_EMAIL", "PUBLIC_URL", "ACCEL_PREFIX"];

  it("are all listed in .env.example, commented out and with their defaults", () => {
    expect(lines.map(([, name]) => name).sort()).toEqual([...SETTING_NAMES].sort());
    expect(example).not.toMatch(/^[^#\n]/m);
    const shown = Object.fromEntries(lines.map(([, name, value]) => [name!, value]));
    for (const name of EXAMPLES) parseSettings({ [name]: shown[name] });
    expect(
      parseSettings({ ...shown, ...Object.fromEntries(EXAMPLES.map((name) => [name, ""])) }),
    ).toEqual(parseSettings({}));
  });

  it("are listed exactly once in the tables of docs/reference/settings.md", () => {
    const named = read("docs/reference/settings.md")
      .split("\n")
      .filter((line) => line.startsWith("| `"))
      .flatMap((line) => line.split("|")[1]!.match(/[A-Z_]+/g) ?? []);
    const forOperators = SETTING_NAMES.filter((name) => name !== "NODE_ENV");
    expect(named.sort()).toEqual([...forOperators].sort());
  });
});

describe("the specification", () => {
  it("contains every section that the code refers to", () => {
    const specification = read("docs/reference/specification.md");
    const sources = ["app", "db", "scripts", "tests"]
      .flatMap(below)
      .filter((file) => /\.(tsx?|mjs)$/.test(file) && !file.endsWith("docs.test.ts"));
    // A comment may wrap between any two words.
    const text = sources
      .map(read)
      .join("\n")
      .replaceAll(/\n\s*(\*|\/\/)\s+/g, " ");
    const sections = [...text.matchAll(/specification, section (\d+)/gi)].map(
      ([, number]) => number!,
    );
    expect(sections.length).toBeGreaterThan(20);
    for (const section of new Set(sections)) {
      expect(specification).toMatch(new RegExp(`^## ${section}\\. `, "m"));
    }
  });
});
