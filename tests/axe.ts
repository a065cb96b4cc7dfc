import AxeBuilder from "@axe-core/playwright";
import type { Page } from "playwright/test";

/**
 * What axe finds on the page as it is now, one readable string per rule.
 *
 * @param rules only these; without them all.
 */
export async function axeViolations(page: Page, rules?: string[]): Promise<string[]> {
  // Without it, axe opens another page to put its results together, which frames alone need.
  // What passes is not named: to find a selector for each element takes a quarter of the time.
  const axe = new AxeBuilder({ page }).options({ resultTypes: ["violations"] }).setLegacyMode();
  const { violations } = await (rules ? axe.withRules(rules) : axe).analyze();
  return violations.map(
    ({ id, help, nodes }) => `${id}: ${help}\n  ${nodes.map((node) => node.html).join("\n  ")}`,
  );
}
