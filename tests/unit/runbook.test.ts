import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (file: string) => fs.readFileSync(path.join(root, file), "utf8");

interface Rule {
  alert: string;
  expr: string;
  annotations: { summary: string; runbook: string };
}
const rules = (parse(read("docs/monitoring/alerts.yml")).groups as { rules: Rule[] }[]).flatMap(
  (group) => group.rules,
);
const union = /type AlertKind =([^;]+);/.exec(read("db/schema/alerts.ts"))![1]!;
const ownAlerts = [...union.matchAll(/"([\w-]+)"/g)]
  .map(([, kind]) => kind!)
  .filter((kind) => kind !== "test");

const runbook = read("docs/runbook.md");
const [, ofTheSite = "", ofPrometheus = ""] = runbook.split(/^## .*$/m);
const chaptersOf = (part: string) => [...part.matchAll(/^### (.+)$/gm)].map(([, name]) => name!);

describe("the runbook", () => {
  it("has a chapter for each alert of the site, and none for others", () => {
    expect(ownAlerts.length).toBeGreaterThan(3);
    expect(chaptersOf(ofTheSite).sort()).toEqual([...ownAlerts].sort());
  });

  it("has a chapter for each alert of Prometheus, which leads there", () => {
    expect(rules.length).toBeGreaterThan(10);
    expect(chaptersOf(ofPrometheus)).toEqual(rules.map(({ alert }) => alert));
    for (const { alert, annotations } of rules) {
      expect(annotations.runbook).toBe(`docs/runbook.md#${alert.toLowerCase()}`);
      expect(annotations.summary).toMatch(/\.$/);
    }
  });

  it("says in each chapter what to do, or which other chapter does", () => {
    for (const chapter of runbook.split(/^### /m).slice(1)) {
      expect(chapter, chapter.split("\n")[0]).toMatch(/^- Do: |\]\(#[\w-]+\)|_Resume_/m);
    }
    const names = [...chaptersOf(ofTheSite), ...chaptersOf(ofPrometheus)];
    for (const [, anchor] of runbook.matchAll(/\]\(#([\w-]+)\)/g)) {
      expect(names.map((name) => name.toLowerCase())).toContain(anchor);
    }
  });
});

it("the metrics know every alert of the site", () => {
  const list = /ALERT_KINDS = \[([^\]]+)\]/.exec(read("app/studio/monitoring/metrics.server.ts"))!;
  expect([...list[1]!.matchAll(/"([\w-]+)"/g)].map(([, kind]) => kind)).toEqual(ownAlerts);
});
