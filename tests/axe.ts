import AxeBuilder from "@axe-core/playwright";
import type { Page } from "playwright/test";

/**
 * What axe finds on the page as it is now, one readable string per rule.
 *
 * @param rules only these; without them all.
 */
export async function axeViolations(page: Page, rules?: string[]): Promise<string[]> {
  // Without it, axe opens another page to put its results together, which frames alone need.
  const axe = new AxeBuilder({ page }).setLegacyMode();
  const { violations } = await (rules ? axe.withRules(rules) : axe).analyze();
  return violations.map(
    ({ id, help, nodes }) => `${id}: ${help}\n  ${nodes.map((node) => node.html).join("\n  ")}`,
  );
}
