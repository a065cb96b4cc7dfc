import type { IncomingMessage } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { clientAddress, clientAddressOf } from "~/server/client-address.server";
import { forgetSettings } from "~/server/settings.server";
import { useTemporarySite } from "../../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite({ PUBLIC_URL: "https://videos.example" });
});
afterEach(() => site.remove());

const from = (forwarded: string) =>
  clientAddress(new Request("http://localhost/", { headers: { "X-Forwarded-For": forwarded } }));

describe("the address a request came from", () => {
  it.each([
    ["192.0.2.7", "192.0.2.7"],
    ["6.6.6.6, 192.0.2.7", "192.0.2.7"],
    ["6.6.6.6, 192.0.2.7, 10.0.0.9, 172.18.0.5", "192.0.2.7"],
    ["10.0.0.9, 172.18.0.5", "10.0.0.9"],
    ["nobody, 172.18.0.5", "172.18.0.5"],
    ["192.0.2.7:4711", "192.0.2.7"],
    ["::ffff:192.0.2.7", "192.0.2.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
    ["2001:db8:1:2::9", "2001:db8:1:2"],
    ["[2001:0DB8:1:2::1]:443", "2001:db8:1:2"],
    ["2001:db8::1", "2001:db8:0:0"],
    ["::1", "0:0:0:0"],
    ["::ffff:1", "0:0:0:0"],
    ["unknown", "unknown"],
    ["", "unknown"],
  ])("is, as the proxy says %j, %s", (forwarded, address) => expect(from(forwarded)).toBe(address));

  it("is not what a client says of itself where there is no proxy", () => {
    delete process.env.PUBLIC_URL;
    forgetSettings();
    expect(from("192.0.2.7")).toBe("unknown");
  });
});

describe("whose X-Forwarded-For is believed", () => {
  const addressSeenFrom = (remoteAddress: string) =>
    clientAddressOf({
      headers: { "x-forwarded-for": "192.0.2.7" },
      socket: { remoteAddress },
    } as unknown as IncomingMessage);
  const trust = (proxies: string) => {
    process.env.TRUSTED_PROXIES = proxies;
    forgetSettings();
  };

  it.each([
    "127.0.0.1",
    "::1",
    "::ffff:172.18.0.2",
    "10.1.2.3",
    "192.168.1.1",
    "fd00::1",
    "fe80::1%eth0",
  ])("is, unless TRUSTED_PROXIES is set, a proxy on a private address: %s", (address) =>
    expect(addressSeenFrom(address)).toBe("192.0.2.7"),
  );

  it("is not a client on a public address", () => {
    expect(addressSeenFrom("203.0.113.9")).toBe("203.0.113.9");
    expect(addressSeenFrom("2001:db8:1:2::9")).toBe("2001:db8:1:2");
  });

  it("is a proxy that TRUSTED_PROXIES names, and no other", () => {
    trust("203.0.113.0/24, 2001:db8::/32");
    expect(addressSeenFrom("203.0.113.9")).toBe("192.0.2.7");
    expect(addressSeenFrom("2001:db8:1:2::9")).toBe("192.0.2.7");
    expect(addressSeenFrom("127.0.0.1")).toBe("127.0.0.1");
  });

  it.each(["localhost", "10.0.0.0/33", "10.0.0.0/", "::1/129", "10.0.0.0/8/8", "10.0.0.0/8,"])(
    "has to be a list of networks: %s is none",
    (proxies) => {
      trust(proxies);
      expect(() => addressSeenFrom("127.0.0.1")).toThrow(/^TRUSTED_PROXIES must be addresses/);
    },
  );
});
