import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { expect, it } from "vitest";
import { deviceCookie } from "~/account/device.server";
import {
  limitSignInRate,
  MOST_ATTEMPTS_A_SECOND,
  MOST_ATTEMPTS_PER_ADDRESS,
} from "~/account/sign-in-rate-limit.server";

let lastAddress = 0;

/** From an address of its own, unless one is given. */
function attempt(method: string, url: string, now: number, address?: string, cookie?: string) {
  const remoteAddress = address ?? `2001:db8:0:${(++lastAddress).toString(16)}::1`;
  const socket = Object.defineProperty(new Socket(), "remoteAddress", { value: remoteAddress });
  const request = Object.assign(new IncomingMessage(socket), { method, url });
  request.headers.cookie = cookie;
  const response = new ServerResponse(request);
  const refused = limitSignInRate(request, response, now);
  return refused ? response.statusCode : "on";
}

const times = (count: number, make: () => unknown) => Array.from({ length: count }, make);

it("lets the attempts of a busy second on, and answers a flood in a line until it is over", () => {
  const allowed = times(MOST_ATTEMPTS_A_SECOND, () => attempt("POST", "/auth", 5_000));
  expect(new Set(allowed)).toEqual(new Set(["on"]));
  const spellings = ["/AUTH", "/auth/", "/%61uth", "/Auth/Code/", "/AUTH/passkey.data"];
  for (const url of [
    "/auth",
    "/auth.data?_routes=x",
    "/auth/code",
    "/auth/passkey",
    ...spellings,
  ]) {
    expect(attempt("POST", url, 5_999), url).toBe(429);
  }
  expect(attempt("POST", "/auth", 6_000)).toBe("on");
});

it("is about nothing but attempts to sign in", () => {
  times(2 * MOST_ATTEMPTS_A_SECOND, () => attempt("POST", "/auth", 9_000));
  expect(attempt("GET", "/auth", 9_000)).toBe("on");
  expect(attempt("POST", "/authors", 9_000)).toBe("on");
  expect(attempt("POST", "/admin", 9_000)).toBe("on");
});

it("refuses the flood of one address, and neither another address nor a known browser at the same", () => {
  process.env.SESSION_SECRET = "a secret of at least thirty-two characters";
  const device = deviceCookie("admin").split(";")[0];
  const flood = times(500, () => attempt("POST", "/auth", 20_000, "192.0.2.1"));
  expect(flood.filter((answer) => answer === "on")).toHaveLength(MOST_ATTEMPTS_PER_ADDRESS);
  expect(attempt("POST", "/auth", 20_500, "192.0.2.2")).toBe("on");
  expect(attempt("POST", "/auth", 20_500, "192.0.2.1", device)).toBe("on");
  expect(attempt("POST", "/auth", 20_500, "192.0.2.1", "device=forged.mark")).toBe(429);
});

it("lets a known browser through when strangers at many addresses have used up the second", () => {
  process.env.SESSION_SECRET = "a secret of at least thirty-two characters";
  const device = deviceCookie("admin").split(";")[0];
  times(2 * MOST_ATTEMPTS_A_SECOND, () => attempt("POST", "/auth", 30_000));
  expect(attempt("POST", "/auth", 30_000)).toBe(429);
  expect(attempt("POST", "/auth", 30_000, undefined, device)).toBe("on");
});
