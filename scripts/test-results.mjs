// What the runners of `npm test` report, counted. Plain JavaScript, as the command itself is.

/**
 * The tests of a vitest JSON report: "file › test" to "passed", "failed" or "skipped". A file that
 * could not even be loaded counts as a failed test of its own name.
 */
export function vitestResults(report) {
  const results = new Map();
  for (const file of report?.testResults ?? []) {
    for (const test of file.assertionResults) {
      const known = test.status === "passed" || test.status === "failed";
      results.set(`${file.name} › ${test.fullName}`, known ? test.status : "skipped");
    }
    if (file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed"))
      results.set(file.name, "failed");
  }
  return results;
}

/** The same of a Playwright JSON report; a test that passed at its second try is "unsteady". */
export function playwrightResults(report) {
  const results = new Map();
  const outcomes = { expected: "passed", unexpected: "failed", flaky: "unsteady" };
  const read = (suite, path) => {
    for (const spec of suite.specs ?? []) {
      for (const test of spec.tests) {
        const name = [test.projectName, ...path, spec.title].join(" › ");
        results.set(name, outcomes[test.status] ?? "skipped");
      }
    }
    for (const inner of suite.suites ?? []) read(inner, [...path, inner.title]);
  };
  for (const suite of report?.suites ?? []) read(suite, [suite.title]);
  return results;
}

/** The files in which a test of these vitest results failed. */
export function failedFiles(results) {
  const failed = [...results].filter(([, status]) => status === "failed");
  return [...new Set(failed.map(([name]) => name.split(" › ")[0]))];
}

/**
 * Results with those of a second try, which ran the failed files alone. What failed at first and
 * not again is "unsteady". An empty second try is one that did not run.
 */
export function withSecondTry(first, second) {
  const merged = new Map([...first, ...second]);
  for (const [name, status] of first) {
    if (status !== "failed") continue;
    const again = second.size === 0 || second.get(name) === "failed";
    merged.set(name, again ? "failed" : "unsteady");
  }
  return merged;
}
