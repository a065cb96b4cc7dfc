import { describe, expect, it } from "vitest";
import { countryRule, mayRequireCheck, parseCountryRules } from "~/platform/settings/country-rules";

describe("country rules", () => {
  const rules = parseCountryRules("US-TX=check, us=open,FR = closed,unknown=closed")!;

  it.each([
    ["US-TX", "check"],
    ["us-tx", "check"],
    [" US-TX ", "check"],
    ["US-NY", "open"],
    ["US", "open"],
    ["FR", "closed"],
    ["FR-75", "closed"],
    ["DE", "open"],
    // Cloudflare's code for Tor, then pairs of headers that Node has joined, then a missing or invalid header.
    ["T1", "closed"],
    ["DE, FR", "closed"],
    ["FR,DE", "closed"],
    ["US-TX, DE", "check"],
    ["US, DE", "open"],
    ["US,", "closed"],
    ["", "closed"],
    [undefined, "closed"],
    ["US-TX-DALLAS", "closed"],
  ])("for the header %j result in “%s”", (header, rule) => {
    expect(countryRule(rules, header)).toBe(rule);
  });

  it("default to open, and apply the rule for other countries to unlisted and unknown ones", () => {
    const few = parseCountryRules("DE=closed")!;
    expect([countryRule(few, "FR"), countryRule(few, undefined)]).toEqual(["open", "open"]);
    const others = parseCountryRules("DE=open,others=check")!;
    expect([countryRule(others, "FR"), countryRule(others, "?")]).toEqual(["check", "check"]);
    expect(mayRequireCheck(few)).toBe(false);
    expect(mayRequireCheck(others)).toBe(true);
  });

  it.each([
    "",
    "DE",
    "DE=",
    "DE=shut",
    "DE=open=closed",
    "DEU=closed",
    "DE=closed;FR=closed",
    "DE=closed,",
    "DE=closed,de=open",
    "US-TEXAS=check",
    "*=closed",
  ])("can't be %j", (text) => {
    expect(parseCountryRules(text)).toBeUndefined();
  });
});
