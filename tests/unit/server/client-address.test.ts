import type { IncomingMessage } from "node:http";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { clientAddress, clientAddressOf, limitedNetworkOf } from "~/platform/client-address.server";
import { forgetSettings } from "~/platform/settings.server";
import { useTemporarySite } from "../../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite({ PUBLIC_URL: "https://videos.example" });
});
afterEach(() => site.remove());

const from = (forwarded: string) =>
  clientAddress(new Request("http://localhost/", { headers: { "X-Forwarded-For": forwarded } }));

describe("the client address", () => {
  it.each([
    ["192.0.2.7", "192.0.2.7"],
    ["6.6.6.6, 192.0.2.7", "192.0.2.7"],
    ["6.6.6.6, 192.0.2.7, 10.0.0.9, 172.18.0.5", "192.0.2.7"],
    ["10.0.0.9, 172.18.0.5", "10.0.0.9"],
    ["nobody, 172.18.0.5", "172.18.0.5"],
    ["192.0.2.7:4711", "192.0.2.7"],
    ["6.6.6.6, 192.0.2.7:4711, 10.0.0.9:80, [fd00::5]:443", "192.0.2.7"],
    ["6.6.6.6,\t192.0.2.7", "192.0.2.7"],
    ["::ffff:192.0.2.7", "192.0.2.7"],
    ["[::ffff:192.0.2.7]:443", "192.0.2.7"],
    ["::FFFF:c000:207", "192.0.2.7"],
    ["192.0.2.7, 0x0a.0.0.1", "unknown"],
    ["6.6.6.6, 10, 172.18.0.5", "172.18.0.5"],
    ["2002:c000:207:1::9", "2002:c000:207:1"],
    ["64:ff9b::192.0.2.7", "64:ff9b:0:0"],
    ["64:ff9b::c000:207", "64:ff9b:0:0"],
    ["::1.2.3.4", "1.2.3.4"],
    ["fe80::1%eth0", "fe80:0:0:0"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
    ["2001:db8:1:2::9", "2001:db8:1:2"],
    ["[2001:0DB8:1:2::1]:443", "2001:db8:1:2"],
    ["2001:db8::1", "2001:db8:0:0"],
    ["::1", "0:0:0:0"],
    ["::ffff:1", "0:0:0:0"],
    ["unknown", "unknown"],
    ["", "unknown"],
  ])("with X-Forwarded-For %j is %s", (forwarded, address) =>
    expect(from(forwarded)).toBe(address),
  );

  it("has the same prefix for any notation of an IPv6 network, and never throws", () => {
    fc.assert(
      fc.property(fc.ipV6(), fc.ipV4(), fc.string(), (ipv6, ipv4, text) => {
        for (const written of [ipv6, ipv6.toUpperCase(), `[${ipv6}]:443`]) {
          expect(from(written), written).toBe(from(ipv6));
        }
        expect(from(ipv6)).toMatch(/^(?:[\da-f]{1,4}(?::[\da-f]{1,4}){3}|\d+\.\d+\.\d+\.\d+)$/);
        for (const written of [`::ffff:${ipv4}`, `${ipv4}:8080`]) expect(from(written)).toBe(ipv4);
        expect([ipv4, "unknown"]).toContain(from(`${ipv4}, ${text.replaceAll(",", "")}x`));
      }),
    );
  });

  it("ignores X-Forwarded-For without a proxy", () => {
    delete process.env.PUBLIC_URL;
    forgetSettings();
    expect(from("192.0.2.7")).toBe("unknown");
  });
});

describe("the network whose limits apply", () => {
  const networkOf = (remoteAddress: string, forwarded?: string) =>
    limitedNetworkOf({
      headers: forwarded === undefined ? {} : { "x-forwarded-for": forwarded },
      socket: { remoteAddress },
    } as unknown as IncomingMessage);

  it("is the client's network behind a trusted proxy, and otherwise the connection's", () => {
    expect(networkOf("127.0.0.1", "192.0.2.7")).toBe("192.0.2.7");
    expect(networkOf("::1", "2001:db8:1:2::9")).toBe("2001:db8:1:2");
    expect(networkOf("192.0.2.8", "192.0.2.7")).toBe("192.0.2.8");
  });

  it("is undefined for a trusted proxy that doesn't identify its client", () => {
    for (const proxy of ["127.0.0.1", "::1", "::ffff:172.18.0.2", "fd00::1"]) {
      expect(networkOf(proxy), proxy).toBeUndefined();
      expect(networkOf(proxy, "10.0.0.9"), proxy).toBeUndefined();
    }
    delete process.env.PUBLIC_URL;
    forgetSettings();
    expect(networkOf("127.0.0.1", "192.0.2.7")).toBeUndefined();
  });
});

describe("the list of trusted proxies", () => {
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
    "::ffff:ac12:2",
  ])("includes private addresses by default: %s", (address) =>
    expect(addressSeenFrom(address)).toBe("192.0.2.7"),
  );

  it("doesn't include public addresses by default", () => {
    expect(addressSeenFrom("203.0.113.9")).toBe("203.0.113.9");
    expect(addressSeenFrom("2001:db8:1:2::9")).toBe("2001:db8:1:2");
  });

  it("includes exactly the networks of TRUSTED_PROXIES", () => {
    trust("203.0.113.0/24, 2001:db8::/32");
    expect(addressSeenFrom("203.0.113.9")).toBe("192.0.2.7");
    expect(addressSeenFrom("2001:db8:1:2::9")).toBe("192.0.2.7");
    expect(addressSeenFrom("127.0.0.1")).toBe("127.0.0.1");
  });

  it("includes everyone if TRUSTED_PROXIES contains all networks", () => {
    trust("0.0.0.0/0, ::/0");
    for (const address of ["203.0.113.9", "::ffff:203.0.113.9", "2001:db8:1:2::9"]) {
      expect(addressSeenFrom(address)).toBe("192.0.2.7");
    }
  });

  it("treats IPv4-mapped IPv6 addresses as IPv4", () => {
    for (const proxies of ["::ffff:203.0.113.9", "::ffff:203.0.113.0/120"]) {
      trust(proxies);
      expect(addressSeenFrom("203.0.113.9"), proxies).toBe("192.0.2.7");
      expect(addressSeenFrom("::ffff:203.0.113.9"), proxies).toBe("192.0.2.7");
      expect(addressSeenFrom("198.51.100.9"), proxies).toBe("198.51.100.9");
    }
  });

  it.each([
    "localhost",
    "10",
    "10/8",
    "0x0a.0.0.1",
    "10.0.0.0/33",
    "10.0.0.0/",
    "::1/129",
    "10.0.0.0/8/8",
    "10.0.0.0/8,",
  ])("must consist of networks: %s is invalid", (proxies) => {
    trust(proxies);
    expect(() => addressSeenFrom("127.0.0.1")).toThrow(/^TRUSTED_PROXIES must be IP addresses/);
  });
});
