import AxeBuilder from "@axe-core/playwright";
import type { Page } from "playwright/test";

/**
 * Returns the violations that axe finds on the current page, one readable string per rule.
 *
 * @param rules to check; all by default.
 */
export async function axeViolations(page: Page, rules?: string[]): Promise<string[]> {
  // Legacy mode doesn't open another page to merge results, which only frames need.
  // Passes aren't reported: finding a selector for each element takes a quarter of the time.
  const axe = new AxeBuilder({ page }).options({ resultTypes: ["violations"] }).setLegacyMode();
  const { violations } = await (rules ? axe.withRules(rules) : axe).analyze();
  return violations.map(
    ({ id, help, nodes }) => `${id}: ${help}\n  ${nodes.map((node) => node.html).join("\n  ")}`,
  );
}
