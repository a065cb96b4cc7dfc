import fs from "node:fs";
import path from "node:path";
import { matchPath } from "@remix-run/react";
import { expect, it } from "vitest";
import routes from "~/routes";

it("reloads the document for links and forms that target a resource route", () => {
  const withoutPage = routes.filter(({ file }) => file.endsWith(".ts")).map((route) => route.path!);
  const elements = fs
    .readdirSync("app", { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".tsx"))
    .flatMap(
      (file) => fs.readFileSync(path.join("app", file), "utf8").match(/<(Form|Link)\b[^>]*/g) ?? [],
    );
  const leading = elements.filter((element) => {
    const [, url] = /\b(?:action|to)="(\/[^"?]*)/.exec(element) ?? [];
    return url && withoutPage.some((pattern) => matchPath(`/${pattern}`, url));
  });
  expect(leading.length).toBeGreaterThan(1);
  expect(leading.filter((element) => !element.includes("reloadDocument"))).toEqual([]);
});
