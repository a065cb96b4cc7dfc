import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { recordDevice } from "~/features/accounts/device.server";
import {
  limitSignInRate,
  MAX_PER_ADDRESS_AND_SECOND,
  MAX_PER_SECOND,
} from "~/features/accounts/sign-in-rate-limit.server";
import { sqliteHandle, transaction } from "~db/client.server";
import { insertUser } from "../../sign-in-requests";
import { useTemporarySite } from "../../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
});
afterEach(() => site.remove());

let lastNetwork = 0;
/** Returns an IP address in a network that hasn't been used yet. */
const freshAddress = () => `2001:db8:${(++lastNetwork).toString(16)}::1`;

interface Attempt {
  now: number;
  url?: string;
  method?: string;
  address?: string;
  headers?: Record<string, string>;
}

/** Returns the status of a rejection, or "on" if the request is passed on. */
function attempt({ now, url = "/auth", method = "POST", address, headers }: Attempt) {
  const remoteAddress = address ?? freshAddress();
  const socket = Object.defineProperty(new Socket(), "remoteAddress", { value: remoteAddress });
  const request = Object.assign(new IncomingMessage(socket), { method, url });
  Object.assign(request.headers, { "sec-fetch-site": "same-origin", ...headers });
  const response = new ServerResponse(request);
  return limitSignInRate(request, response, now) ? response.statusCode : "on";
}

const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));
const passed = (results: unknown[]) => results.filter((result) => result === "on").length;
const cookieOf = async (userId: string) => {
  const cookie = await transaction(() => recordDevice(userId, undefined));
  return { cookie: cookie.split(";")[0]! };
};

it("accepts a burst of sign-in attempts, and responds to a flood with a one-line rejection", () => {
  expect(passed(times(MAX_PER_SECOND, () => attempt({ now: 5_000 })))).toBe(MAX_PER_SECOND);
  for (const url of ["/auth", "/auth.data?_routes=x", "/AUTH", "/auth/", "/%61uth"]) {
    expect(attempt({ now: 5_999, url }), url).toBe(429);
  }
  expect(attempt({ now: 6_000 })).toBe("on");
});

it("limits only sign-ins with a password", () => {
  times(2 * MAX_PER_SECOND, () => attempt({ now: 9_000 }));
  expect(attempt({ now: 9_000, method: "GET" })).toBe("on");
  for (const url of ["/authors", "/admin", "/auth/code", "/auth/passkey"]) {
    expect(attempt({ now: 9_000, url }), url).toBe("on");
  }
});

it("lets users on a new network sign in during a flood from eight IP addresses", () => {
  const addresses = times(8, freshAddress);
  for (let tenth = 0; tenth < 300; tenth++) {
    const now = 100_000 + tenth * 100;
    for (const address of addresses) attempt({ now, address });
    if (tenth % 5 === 0) expect(attempt({ now }), `at ${now}`).toBe("on");
  }
  // After mistyping the password, a user is no longer new, but has still made fewer attempts than the flood.
  const [now, address] = [129_950, freshAddress()];
  expect(times(4, () => attempt({ now, address }))).toEqual(["on", "on", "on", "on"]);
});

it("counts all IP addresses in a network together", () => {
  const one = (host: number) => attempt({ now: 200_000, address: `203.0.113.${host}` });
  times(250, one);
  expect(attempt({ now: 200_500, address: "203.0.113.251" })).toBe(429);
  expect(attempt({ now: 200_500, address: "198.51.100.1" })).toBe("on");
});

it("doesn't count requests from other sites", () => {
  const foreign: Record<string, string>[] = [
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "", origin: "https://evil.example", host: "videos.example" },
    { "sec-fetch-site": "", host: "videos.example" },
  ];
  const address = freshAddress();
  for (const headers of foreign) {
    // The action rejects these requests with 403.
    expect(passed(times(50, () => attempt({ now: 300_000, address, headers })))).toBe(50);
    expect(passed(times(50, () => attempt({ now: 300_000, headers })))).toBe(50);
  }
  expect(attempt({ now: 300_000, address })).toBe("on");
  const own = { "sec-fetch-site": "", origin: "https://videos.example", host: "videos.example" };
  expect(times(5, () => attempt({ now: 300_000, address, headers: own })).at(-1)).toBe(429);
});

it("rejects a flood from one IP address, but doesn't affect other addresses or known browsers at that address", async () => {
  const { id } = insertUser();
  const address = "192.0.2.1";
  const flood = times(500, () => attempt({ now: 400_000, address }));
  expect(passed(flood)).toBe(MAX_PER_ADDRESS_AND_SECOND);
  expect(attempt({ now: 400_500, address: "192.0.3.2" })).toBe("on");
  const known = await cookieOf(id);
  expect(attempt({ now: 400_500, address, headers: known })).toBe("on");
  const forged = { cookie: "device=forged.mark" };
  expect(attempt({ now: 400_500, address, headers: forged })).toBe(429);
});

it("lets a known browser through when many networks have used up the limit, unless its device cookie is void", async () => {
  const { id } = insertUser();
  const headers = await cookieOf(id);
  times(2 * MAX_PER_SECOND, () => attempt({ now: 500_000 }));
  expect(attempt({ now: 500_000 })).toBe(429);
  expect(attempt({ now: 500_000, headers })).toBe("on");
  sqliteHandle().exec("UPDATE users SET password_hash = 'another'");
  expect(attempt({ now: 500_000, headers })).toBe(429);
});
