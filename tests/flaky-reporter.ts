import path from "node:path";
import type { Reporter, TestCase } from "vitest/node";

/** Lists the tests that passed only after a retry (`--retry`), like Playwright's reporters. */
export default class FlakyReporter implements Reporter {
  private flaky: TestCase[] = [];

  onTestCaseResult(test: TestCase): void {
    if (test.diagnostic()?.flaky) this.flaky.push(test);
  }

  onTestRunEnd(): void {
    if (this.flaky.length === 0) return;
    console.log(`\n  ${this.flaky.length} flaky`);
    for (const test of this.flaky)
      console.log(`    ${path.relative(".", test.module.moduleId)} > ${test.fullName}`);
  }
}
