import path from "node:path";
import { expect, it } from "vitest";
import { alias, iconsByFile } from "../../vite.config";

/** A module of the site as the build reads it, and the files that it then imports. */
function built(code: string, file = "ui/some.tsx"): string {
  const { transform } = iconsByFile();
  if (typeof transform !== "function") throw new Error("It transforms nothing.");
  const result = transform.call({} as never, code, path.join(alias["~"], file));
  return result && typeof result === "object" && "code" in result ? String(result.code) : code;
}

it("each icon is imported from its own file", () => {
  const code = built(
    'import {\n  Film,\n  X as Close,\n  type LucideIcon,\n} from "lucide-react";\nFilm(Close);',
  );
  const imports = [...code.matchAll(/import (\w+) from "[^"]*\/icons\/([\w-]+)\.js"/g)];
  expect(imports.map(([, name, file]) => [name, file])).toEqual([
    ["Film", "film"],
    ["Close", "x"],
  ]);
  expect(code).toContain("Film(Close);");
  expect(code).not.toContain('"lucide-react"');
});

it("other modules stay as they are, and an icon that is none ends the build", () => {
  expect(built('import { Film } from "./film";')).toBe('import { Film } from "./film";');
  expect(() => built('import { NoSuchIcon } from "lucide-react";')).toThrow("no icon NoSuchIcon");
});
