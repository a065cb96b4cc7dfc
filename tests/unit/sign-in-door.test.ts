import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { expect, it } from "vitest";
import { MOST_ATTEMPTS_A_SECOND, refuseSignInFlood } from "~/account/sign-in-door.server";

function attempt(method: string, url: string, now: number) {
  const request = Object.assign(new IncomingMessage(new Socket()), { method, url });
  const response = new ServerResponse(request);
  const refused = refuseSignInFlood(request, response, now);
  return refused ? response.statusCode : "on";
}

const times = (count: number, make: () => unknown) => Array.from({ length: count }, make);

it("lets the attempts of a busy second on, and answers a flood in a line until it is over", () => {
  const allowed = times(MOST_ATTEMPTS_A_SECOND, () => attempt("POST", "/auth", 5_000));
  expect(new Set(allowed)).toEqual(new Set(["on"]));
  for (const url of ["/auth", "/auth.data?_routes=x", "/auth/code"]) {
    expect(attempt("POST", url, 5_999)).toBe(429);
  }
  expect(attempt("POST", "/auth", 6_000)).toBe("on");
});

it("is about nothing but attempts to sign in", () => {
  times(2 * MOST_ATTEMPTS_A_SECOND, () => attempt("POST", "/auth", 9_000));
  expect(attempt("GET", "/auth", 9_000)).toBe("on");
  expect(attempt("POST", "/authors", 9_000)).toBe("on");
  expect(attempt("POST", "/admin", 9_000)).toBe("on");
});
