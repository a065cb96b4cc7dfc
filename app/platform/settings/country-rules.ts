/** The possible rules for visitors from a country or region. The strictest rule is last. */
const RULES = ["open", "check", "closed"] as const;
export type CountryRule = (typeof RULES)[number];

export interface CountryRules {
  /** The rules by ISO 3166 code of a country (DE) or region (US-TX). */
  byCode: ReadonlyMap<string, CountryRule>;
  /** The rule for every code that isn't listed. */
  others: CountryRule;
  /** The rule for requests whose country header is missing or has no valid code. */
  unknown: CountryRule;
}

/** Matches an ISO 3166-1 alpha-2 code, or an ISO 3166-2 code for a region. */
const CODE = /^[A-Z]{2}(?:-[A-Z\d]{1,3})?$/;

/**
 * Parses rules such as `US-TX=check, FR=check, XX=closed, others=open, unknown=check`; undefined if they are invalid.
 * The default for `others` is open, and the default for `unknown` is the rule for `others`.
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
 * Returns the rule for the country header of a request. If the header contains several codes because the visitor also
 * sent one, the strictest rule applies.
 */
export function countryRule(rules: CountryRules, header: string | undefined | null): CountryRule {
  const found = (header ?? "").split(",").map((code) => ruleOf(rules, code));
  return RULES.findLast((rule) => found.includes(rule))!;
}

/** Returns the rule for a code. A region's rule takes precedence over its country's rule. */
function ruleOf({ byCode, others, unknown }: CountryRules, text: string): CountryRule {
  const code = text.trim().toUpperCase();
  if (!CODE.test(code)) return unknown;
  return byCode.get(code) ?? byCode.get(code.slice(0, 2)) ?? others;
}

/** Whether any of the rules requires an age check. */
export function mayRequireCheck({ byCode, others, unknown }: CountryRules): boolean {
  return [...byCode.values(), others, unknown].includes("check");
}

function isRule(text: string | undefined): text is CountryRule {
  return RULES.some((rule) => rule === text);
}
