import { expect, it } from "vitest";
import routes from "~/routes";
import { onwarn } from "../../vite.config";

/** What Rollup says of a chunk without code, as the build passes it on. */
function told(name: string): string[] {
  const lines: string[] = [];
  const message = `Generated an empty chunk: "${name}".`;
  onwarn({ code: "EMPTY_BUNDLE", names: [name], message }, (warning) => {
    lines.push(typeof warning === "object" ? warning.message : "");
  });
  return lines;
}
const names = (ending: string) =>
  routes
    .map(({ file }) => file)
    .filter((file) => file.endsWith(ending))
    .map((file) => file.replace(/^.*\/|\.tsx?$/g, ""));

it("the build is silent about the empty chunks of routes without a page", () => {
  expect(names(".ts")).toContain("healthz");
  expect(names(".ts").flatMap(told)).toEqual([]);
});

it("the build tells of a page's chunk that is empty, and of any other warning", () => {
  expect(names(".tsx")).toContain("home");
  for (const name of names(".tsx")) expect(told(name)).toHaveLength(1);
  const others: unknown[] = [];
  onwarn({ code: "CIRCULAR_DEPENDENCY", message: "a circle" }, (warning) => others.push(warning));
  const annotation = { code: "INVALID_ANNOTATION", message: "a comment" };
  onwarn({ ...annotation, id: "/site/app/root.tsx" }, (warning) => others.push(warning));
  expect(others).toHaveLength(2);
  onwarn({ ...annotation, id: "/site/node_modules/zod/index.js" }, (warning) =>
    others.push(warning),
  );
  expect(others).toHaveLength(2);
});
