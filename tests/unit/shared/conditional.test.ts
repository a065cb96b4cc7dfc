import { describe, expect, it } from "vitest";
import { failedPrecondition, rangeStillFits } from "~/shared/conditional";

const validators = { etag: '"abc"', lastModified: Date.UTC(2026, 0, 2, 3, 4, 5, 678) };
const sameTime = "Fri, 02 Jan 2026 03:04:05 GMT";
const earlier = "Fri, 02 Jan 2026 03:04:04 GMT";
const later = "Fri, 02 Jan 2026 03:04:06 GMT";

describe("conditional request headers", () => {
  it.each<[Record<string, string>, 304 | 412 | undefined]>([
    [{}, undefined],
    [{ "If-None-Match": '"abc"' }, 304],
    [{ "If-None-Match": 'W/"abc"' }, 304],
    [{ "If-None-Match": '"x", "abc"' }, 304],
    [{ "If-None-Match": '"x,y", W/"z"' }, undefined],
    [{ "If-None-Match": "*" }, 304],
    [{ "If-None-Match": '"x"' }, undefined],
    [{ "If-Modified-Since": sameTime }, 304],
    [{ "If-Modified-Since": later }, 304],
    [{ "If-Modified-Since": earlier }, undefined],
    [{ "If-Modified-Since": "yesterday" }, undefined],
    // The date is ignored if there is also an entity tag.
    [{ "If-None-Match": '"x"', "If-Modified-Since": later }, undefined],
    [{ "If-Match": '"abc"' }, undefined],
    [{ "If-Match": "*" }, undefined],
    [{ "If-Match": '"x"' }, 412],
    [{ "If-Match": 'W/"abc"' }, 412],
    [{ "If-Unmodified-Since": sameTime }, undefined],
    [{ "If-Unmodified-Since": earlier }, 412],
    [{ "If-Match": '"abc"', "If-Unmodified-Since": earlier }, undefined],
    [{ "If-Match": '"x"', "If-None-Match": '"abc"' }, 412],
  ])("with the headers %j result in %s", (headers, status) => {
    expect(failedPrecondition(new Headers(headers), validators)).toBe(status);
  });

  it.each<[string | null, boolean]>([
    [null, true],
    ['"abc"', true],
    ['W/"abc"', false],
    ['"x"', false],
    [sameTime, true],
    [earlier, false],
    [later, false],
    ["yesterday", false],
  ])("with the If-Range header %s allow a range: %s", (header, keeps) => {
    expect(rangeStillFits(header, validators)).toBe(keeps);
  });
});
