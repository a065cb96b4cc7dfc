import { expect, it } from "vitest";
import { addressLimit } from "~/platform/address-limit.server";

const allowed = (limit: ReturnType<typeof addressLimit>, addresses: string[]) =>
  addresses.filter((address) => limit.consume(address, 1_000) === undefined).length;
const networks = (count: number) =>
  Array.from({ length: count }, (_, n) => `2001:db8:1:${n.toString(16)}`);

it("allows an entire IPv6 /48 only four times as many attempts as a single network", () => {
  const limit = addressLimit("tests of a /48", 5, 60);
  expect(allowed(limit, Array(20).fill("2001:db8:1:0"))).toBe(5);
  expect(allowed(limit, networks(1_000))).toBe(15);
  expect(limit.isExhausted("2001:db8:1:ffff", 1_000)).toBe(true);
  expect(limit.isExhausted("2001:db8:2:0", 1_000)).toBe(false);
});

it("limits each IPv4 address separately", () => {
  const limit = addressLimit("tests of IPv4", 5, 60);
  expect(allowed(limit, Array(20).fill("192.0.2.1"))).toBe(5);
  expect(allowed(limit, Array(20).fill("192.0.2.2"))).toBe(5);
});

it("doesn't count rejected or refunded attempts toward either limit", () => {
  const limit = addressLimit("tests of refunds", 5, 60);
  for (const network of networks(100)) {
    expect(limit.consume(network, 1_000)).toBeUndefined();
    limit.refund(network);
  }
  expect(allowed(limit, Array(100).fill("2001:db8:1:0"))).toBe(5);
  expect(allowed(limit, networks(1_000))).toBe(15);
});
