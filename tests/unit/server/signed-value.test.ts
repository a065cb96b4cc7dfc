import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isSolved, newPuzzle } from "~/features/moderation/reports/submit-report.server";
import { forgetSettings } from "~/platform/settings.server";
import { sign, verify } from "~/platform/signed-value.server";
import { solvePuzzle } from "../../solve-puzzle";
import { useTemporarySite } from "../../temporary-site";

const SECRET = fc.stringMatching(/^[\w-]{32,50}$/);
const PURPOSES = ["cookie session", "cookie toast", "report status", "worker source", "report id"];
const NOW = Date.parse("2026-11-23T10:00:00.000Z");

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
});
afterEach(() => site.remove());

function useSecrets(...secrets: string[]): void {
  process.env.SESSION_SECRET = secrets.join();
  forgetSettings();
}

describe("a signed value", () => {
  const value = fc.string({ unit: "grapheme" });
  const purpose = fc.oneof(fc.constantFrom(...PURPOSES), fc.string());
  const lifeMs = fc.option(fc.integer({ min: 1, max: 1e12 }), { nil: undefined });
  const expiry = (ms: number | undefined) => (ms === undefined ? undefined : NOW + ms);

  it("is valid only for the purpose that it was signed for, and fits into URLs and cookies", () => {
    fc.assert(
      fc.property(value, purpose, purpose, lifeMs, (text, one, other, ms) => {
        const signed = sign(one, text, expiry(ms));
        expect(signed).toMatch(/^[\w.-]+$/);
        expect(verify(one, signed, NOW)).toBe(text);
        if (other !== one) expect(verify(other, signed, NOW)).toBeUndefined();
      }),
    );
  });

  it("is rejected if any character was changed, added or removed", () => {
    const character = fc.constantFrom(..."AZaz09-_.+/= ");
    fc.assert(
      fc.property(value, lifeMs, fc.nat(), character, (text, ms, place, added) => {
        const signed = sign("report status", text, expiry(ms));
        const at = place % signed.length;
        const [before, after] = [signed.slice(0, at), signed.slice(at)];
        const forged = [
          before + added + after,
          before + after.slice(1),
          before + added + after.slice(1),
          before,
          signed + added,
          signed + signed,
        ];
        for (const each of forged.filter((one) => one !== signed)) {
          expect(verify("report status", each, NOW), each).toBeUndefined();
        }
      }),
    );
  });

  it("expires at the set time, which can't be changed or removed", () => {
    fc.assert(
      fc.property(value, fc.integer({ min: 1, max: 1e12 }), (text, ms) => {
        const signed = sign("worker source", text, NOW + ms);
        expect(verify("worker source", signed, NOW + ms - 1)).toBe(text);
        expect(verify("worker source", signed, NOW + ms)).toBeUndefined();
        const [carried, , mac] = signed.split(".");
        for (const moved of [`${carried}.${NOW + 2 * ms + 1}.${mac}`, `${carried}.${mac}`]) {
          expect(verify("worker source", moved, NOW)).toBeUndefined();
        }
      }),
    );
    for (const time of [Number.NaN, Number.POSITIVE_INFINITY, -1, 1e300]) {
      expect(verify("worker source", sign("worker source", "a", time), NOW)).toBeUndefined();
    }
  });

  it("is accepted with any of the listed secrets, but not with any other", () => {
    const secrets = fc.uniqueArray(SECRET, { minLength: 3, maxLength: 3 });
    fc.assert(
      fc.property(value, secrets, (text, [oldest, newer, foreign]) => {
        useSecrets(oldest!);
        const signed = sign("report status", text);
        useSecrets(newer!, oldest!);
        expect(verify("report status", signed)).toBe(text);
        const next = sign("report status", text);
        useSecrets(newer!);
        expect(verify("report status", next)).toBe(text);
        expect(verify("report status", signed)).toBeUndefined();
        useSecrets(foreign!);
        expect(verify("report status", next)).toBeUndefined();
      }),
      { numRuns: 30 },
    );
  });

  it("can't be forged without the secret", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(verify("report status", text, NOW)).toBeUndefined();
        expect(verify("report status", `${text}.${"A".repeat(43)}`, NOW)).toBeUndefined();
      }),
    );
  });
});

describe("a puzzle's token", () => {
  it("has the same length for every answer", () => {
    const lengths = Array.from({ length: 200 }, () => newPuzzle().token.length);
    expect(new Set(lengths).size).toBe(1);
  });

  it("is used up after one answer, even if many forged tokens follow", () => {
    const { token } = newPuzzle(NOW);
    const { question, token: solved } = newPuzzle(NOW);
    const answer = solvePuzzle(question);
    expect(isSolved(token, "elephant", NOW)).toBe(false);
    expect(isSolved(solved, answer, NOW)).toBe(true);
    for (let count = 0; count < 50_001; count++) {
      isSolved(`${count}.${NOW + 60_000}.${"A".repeat(43)}`, "1", NOW);
    }
    expect(isSolved(solved, answer, NOW)).toBe(false);
  });

  it("is invalid after it expires", () => {
    const { question, token } = newPuzzle(NOW);
    expect(isSolved(token, solvePuzzle(question), NOW + 15 * 60_000)).toBe(false);
    expect(isSolved(token, solvePuzzle(question), NOW + 15 * 60_000 - 1)).toBe(true);
  });
});
