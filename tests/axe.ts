import AxeBuilder from "@axe-core/playwright";
import type { Page } from "playwright/test";

/**
 * Returns the violations that axe finds on the current page, formatted as one string per rule.
 * @param rules the rules to check. All rules are checked by default.
 */
export async function axeViolations(page: Page, rules?: string[]): Promise<string[]> {
  // In legacy mode, axe doesn't open another page to merge results, which is necessary only for pages with frames.
  // Passes aren't reported, because finding a selector for each element takes a quarter of the time.
  const axe = new AxeBuilder({ page }).options({ resultTypes: ["violations"] }).setLegacyMode();
  const { violations } = await (rules ? axe.withRules(rules) : axe).analyze();
  return violations.map(
    ({ id, help, nodes }) => `${id}: ${help}\n  ${nodes.map((node) => node.html).join("\n  ")}`,
  );
}
