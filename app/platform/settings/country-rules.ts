/** What the site does with the visitors of a country or region, the strictest last. */
const RULES = ["open", "check", "closed"] as const;
export type CountryRule = (typeof RULES)[number];

export interface CountryRules {
  /** By ISO 3166 code: of a country (DE) or of one of its regions (US-TX). */
  byCode: ReadonlyMap<string, CountryRule>;
  /** For every code without a rule of its own. */
  others: CountryRule;
  /** Where the header is absent or holds no code. */
  unknown: CountryRule;
}

/** ISO 3166-1 alpha-2, with the part of ISO 3166-2 behind the hyphen for a region. */
const CODE = /^[A-Z]{2}(?:-[A-Z\d]{1,3})?$/;

/**
 * Rules such as `US-TX=check, FR=check, XX=closed, others=open, unknown=check`. Without `others` these
 * are open, without `unknown` what is unknown is as `others`. Undefined for anything else.
 */
export function parseCountryRules(text: string): CountryRules | undefined {
  const found = new Map<string, CountryRule>();
  for (const part of text.split(",")) {
    const [left = "", rule, ...rest] = part.split("=").map((side) => side.trim());
    const name = /^(?:others|unknown)$/i.test(left) ? left.toLowerCase() : left.toUpperCase();
    const isName = name === "others" || name === "unknown" || CODE.test(name);
    if (!isName || !isRule(rule) || rest.length > 0 || found.has(name)) return undefined;
    found.set(name, rule);
  }
  const others = found.get("others") ?? "open";
  const unknown = found.get("unknown") ?? others;
  for (const name of ["others", "unknown"]) found.delete(name);
  return { byCode: found, others, unknown };
}

/**
 * The rule for what the proxy says about where somebody is. Of several codes, which a visitor's own header may
 * add, the strictest rule counts.
 */
export function countryRule(rules: CountryRules, header: string | undefined | null): CountryRule {
  const found = (header ?? "").split(",").map((code) => ruleOf(rules, code));
  return RULES.findLast((rule) => found.includes(rule))!;
}

/** The rule of a region counts before that of its country. */
function ruleOf({ byCode, others, unknown }: CountryRules, text: string): CountryRule {
  const code = text.trim().toUpperCase();
  if (!CODE.test(code)) return unknown;
  return byCode.get(code) ?? byCode.get(code.slice(0, 2)) ?? others;
}

/** Whether somebody may be asked for a check by these rules. */
export function mayAskForCheck({ byCode, others, unknown }: CountryRules): boolean {
  return [...byCode.values(), others, unknown].includes("check");
}

function isRule(text: string | undefined): text is CountryRule {
  return RULES.some((rule) => rule === text);
}
