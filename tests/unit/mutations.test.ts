import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { MUTATIONS } from "../mutations/mutations";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (file: string) => fs.readFileSync(path.join(root, file), "utf8");

describe("the table of mutations", () => {
  it("quotes only code that occurs exactly once in its file", () => {
    const wrong = MUTATIONS.filter(
      ({ file, find, replace }) =>
        !/^(app|db)\//.test(file) || find === replace || read(file).split(find).length !== 2,
    );
    expect(wrong).toEqual([]);
  });

  it("refers only to existing tests", () => {
    const missing = MUTATIONS.filter(
      ({ killedBy, title }) =>
        !fs.existsSync(path.join(root, killedBy)) || !read(killedBy).includes(title),
    );
    expect(missing).toEqual([]);
  });
});
