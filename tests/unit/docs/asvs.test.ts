import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import numbers from "./asvs-numbers.json";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const page = fs.readFileSync(path.join(root, "docs/asvs.md"), "utf8");

/** The rows of the tables that answer a requirement. */
const answers = [...page.matchAll(/^\| (\d+\.\d+\.\d+) *\|(.+)\|$/gm)].flatMap(
  ([, number, rest]) => {
    const [requirement = "", answer = "", where = ""] = rest!.split("|").map((cell) => cell.trim());
    return where ? [{ number: number!, requirement, answer, where }] : [];
  },
);
const answered = (answer: string) => answers.filter((each) => each.answer === answer);

/** The files that a row names, and the parts of this page. */
const filesIn = (text: string) =>
  [...text.matchAll(/`((?:[\w.-]+\/)*[\w.-]+\.\w+|Dockerfile|\.dockerignore|tests\/browsers)`/g)]
    .map(([, name]) => name!)
    .filter((name) => name.includes("/") || fs.existsSync(path.join(root, name)));

describe("the answers to the ASVS", () => {
  it("have each requirement of levels 1 and 2 once, in order", () => {
    const all = [...numbers.level1, ...numbers.level2];
    expect(all).toHaveLength(253);
    const parts = (number: string) => number.split(".").map(Number);
    all.sort((one, other) => {
      const [a, b] = [parts(one), parts(other)];
      return a[0]! - b[0]! || a[1]! - b[1]! || a[2]! - b[2]!;
    });
    expect(answers.map(({ number }) => number)).toEqual(all);
  });

  it("are one of three, with a requirement in words", () => {
    for (const { number, requirement, answer } of answers) {
      expect(["met", "does not apply", "gap"], number).toContain(answer);
      expect(requirement.length, number).toBeGreaterThan(2);
    }
  });

  it("name a file that exists, or a part of the page, for what is met", () => {
    const headings = [...page.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    for (const { number, where } of answered("met")) {
      const parts = [...where.matchAll(/_([A-Z][a-z ]+)_ below/g)].map(([, part]) => part);
      expect(headings, number).toEqual(expect.arrayContaining(parts));
      const named = filesIn(where);
      expect(named.length + parts.length, `${number}: ${where}`).toBeGreaterThan(0);
      const missing = named.filter((name) => !fs.existsSync(path.join(root, name)));
      expect(missing, number).toEqual([]);
    }
  });

  it("list each gap, and only gaps, with what closing it would take", () => {
    const list = page.split("\n## Gaps\n")[1]!.split("\n## ")[0]!;
    const listed = [...list.matchAll(/^\| ([\d., ]+?) *\| .{10,} \|$/gm)].flatMap(([, row]) =>
      row!.split(", "),
    );
    expect(listed.sort()).toEqual(
      answered("gap")
        .map(({ number }) => number)
        .sort(),
    );
  });
});
