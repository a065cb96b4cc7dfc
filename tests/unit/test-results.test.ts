import { describe, expect, it } from "vitest";
import {
  failedFiles,
  playwrightResults,
  vitestResults,
  withSecondTry,
} from "../../scripts/test-results.mjs";

const file = (name: string, tests: Record<string, string>, status = "passed") => ({
  name,
  status,
  assertionResults: Object.entries(tests).map(([fullName, is]) => ({ fullName, status: is })),
});

describe("the results of npm test", () => {
  it("are read from a vitest report, with a file that could not start as a failure", () => {
    const results = vitestResults({
      testResults: [
        file("/a.test.ts", { one: "passed", two: "failed", three: "pending" }, "failed"),
        file("/b.test.ts", { four: "skipped" }, "failed"),
      ],
    });
    expect([...results]).toEqual([
      ["/a.test.ts › one", "passed"],
      ["/a.test.ts › two", "failed"],
      ["/a.test.ts › three", "skipped"],
      ["/b.test.ts › four", "skipped"],
      ["/b.test.ts", "failed"],
    ]);
    expect(failedFiles(results)).toEqual(["/a.test.ts", "/b.test.ts"]);
  });

  it("are empty without a report", () => {
    expect(vitestResults(undefined).size).toBe(0);
    expect(playwrightResults(undefined).size).toBe(0);
  });

  it("are read from a Playwright report, per project, file and group", () => {
    const spec = (title: string, projectName: string, status: string) => ({
      title,
      tests: [{ projectName, status }],
    });
    const results = playwrightResults({
      suites: [
        {
          title: "a.spec.ts",
          specs: [spec("one", "phone", "expected"), spec("two", "phone", "unexpected")],
          suites: [{ title: "group", specs: [spec("one", "desktop", "flaky")] }],
        },
      ],
    });
    expect([...results]).toEqual([
      ["phone › a.spec.ts › one", "passed"],
      ["phone › a.spec.ts › two", "failed"],
      ["desktop › a.spec.ts › group › one", "unsteady"],
    ]);
  });

  it("tell what passes only at the second try from what fails twice", () => {
    const first = new Map([
      ["/a › one", "passed"],
      ["/a › two", "failed"],
      ["/a › three", "failed"],
      ["/b › four", "skipped"],
      ["/b", "failed"],
    ]);
    const second = new Map([
      ["/a › one", "passed"],
      ["/a › two", "passed"],
      ["/a › three", "failed"],
      ["/b › four", "passed"],
    ]);
    expect([...withSecondTry(first, second)]).toEqual([
      ["/a › one", "passed"],
      ["/a › two", "unsteady"],
      ["/a › three", "failed"],
      ["/b › four", "passed"],
      ["/b", "unsteady"],
    ]);
  });

  it("stay as they are when the second try did not run", () => {
    const first = new Map([["/a › one", "failed"]]);
    expect([...withSecondTry(first, new Map())]).toEqual([...first]);
  });
});
