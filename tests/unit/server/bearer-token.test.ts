import { describe, expect, it } from "vitest";
import { bearerToken } from "~/platform/bearer-token";

describe("the bearer token", () => {
  it.each([
    ["Bearer abc", "abc"],
    ["bearer  abc.d-_~+/=", "abc.d-_~+/="],
    ["BEARER abc", "abc"],
  ])("is found in %j", (header, token) => expect(bearerToken(header)).toBe(token));

  it.each([
    null,
    undefined,
    "",
    "Bearer",
    "Bearer ",
    "Basic YTpi",
    "Bearer a b",
    "xBearer a",
    "abc",
  ])("isn't found in %j", (header) => expect(bearerToken(header)).toBeUndefined());
});
