import { describe, expect, it } from "vitest";
import {
  DEFAULT_TERMS,
  MAX_TERMS_LENGTH,
  normalizeTerms,
  termsProblem,
} from "~/features/moderation/uploaders/terms";
import { latestTerms } from "~/features/moderation/uploaders/terms-field";

describe("the terms version submitted with an upload", () => {
  it("is accepted if it is the current version", () => {
    expect(termsProblem("3", 3)).toBeUndefined();
    expect(termsProblem(" 3 ", 3)).toBeUndefined();
  });

  it("is rejected if it is missing, with a message that names the current version", () => {
    for (const none of [undefined, "", "  "]) {
      expect(termsProblem(none, 3)).toBe(
        "Read and accept the uploaders’ terms. The current version is 3.",
      );
    }
  });

  it("is rejected if it is outdated, with a message that names the newer version", () => {
    expect(termsProblem("2", 3)).toBe(
      "The uploaders’ terms have changed from version 2, which you accepted, to version 3. Read and accept the uploaders’ terms.",
    );
  });

  it("is rejected if it never existed", () => {
    for (const none of ["4", "0", "-1", "3.0", "on", "03", "9".repeat(400)]) {
      expect(termsProblem(none, 3), none).toMatch(
        /^There is no version .{1,20} of the uploaders’ terms\. /,
      );
    }
  });
});

describe("the text of the terms", () => {
  it("is the same for all kinds of line endings", () => {
    expect(normalizeTerms("\r\n One \r\nTwo\t\r\n\r\n")).toBe("One\nTwo");
    expect(normalizeTerms(normalizeTerms(DEFAULT_TERMS))).toBe(DEFAULT_TERMS);
    expect(DEFAULT_TERMS.length).toBeLessThan(MAX_TERMS_LENGTH);
  });
});

it("returns the latest of several terms versions", () => {
  const terms = (version: number) => ({ version, text: "", createdAt: "" });
  expect(latestTerms(terms(1), undefined, terms(2))?.version).toBe(2);
  expect(latestTerms(terms(3), terms(2))?.version).toBe(3);
  expect(latestTerms(undefined)).toBeUndefined();
});
