import type { IncomingMessage } from "node:http";
import { isIP, isIPv6 } from "node:net";
import { requestContext } from "./node/request-context.server";
import { settings } from "./settings.server";

/**
 * The address that a request came from, for limits that live in memory; never written anywhere.
 * Behind a proxy (PUBLIC_URL is set, and TRUSTED_PROXIES has its address) it is the last entry of
 * X-Forwarded-For that isn't a trusted proxy itself; everything before it was claimed by the client. An IPv6
 * address counts by its /64, which is what one customer gets.
 */
export function clientAddress(request: Request): string {
  const direct = requestContext()?.request.socket.remoteAddress;
  return addressBehind(request.headers.get("X-Forwarded-For"), direct);
}

/** The same for Node's request, where no route has seen it yet. */
export function clientAddressOf({ headers, socket }: IncomingMessage): string {
  return addressBehind(headers["x-forwarded-for"]?.toString() ?? null, socket.remoteAddress);
}

/** Whether connections from this address are those of a proxy of the operator's (TRUSTED_PROXIES). */
export function isTrustedProxy(address: string): boolean {
  const bare = address.split("%", 1)[0]!;
  const version = isIP(bare);
  if (!version) return false;
  return settings().trustedProxies.check(bare, version === 4 ? "ipv4" : "ipv6");
}

function addressBehind(forwardedFor: string | null, direct?: string): string {
  const isBehindProxy = settings().publicUrl && (direct === undefined || isTrustedProxy(direct));
  const entries = (isBehindProxy && forwardedFor?.split(",")) || [];
  let client: string | undefined;
  for (const entry of entries.reverse()) {
    const address = withoutPort(entry.trim());
    client = address ?? client;
    if (!address || !isTrustedProxy(address)) break;
  }
  return networkOf(client ?? direct ?? "unknown");
}

function withoutPort(address: string | undefined): string | undefined {
  if (!address) return undefined;
  const bare = /^\[(.+)\](:\d+)?$/.exec(address)?.[1] ?? address.replace(/^([\d.]+):\d+$/, "$1");
  return isIP(bare) ? bare : undefined;
}

/**
 * A network that includes the one an address counts by: the /24 of an IPv4 address, the /48 of an IPv6 address.
 * One person may have all of a /48.
 */
export function widerNetwork(network: string): string {
  return network.includes(":")
    ? network.split(":").slice(0, 3).join(":")
    : network.replace(/\.\d+$/, "");
}

/** The network that an address counts by: itself, or the /64 of an IPv6 address. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped) return mapped;
  const [head = "", tail] = address.split("%", 1)[0]!.split("::");
  const left = head.split(":").filter(Boolean);
  const right = (tail ?? "").split(":").filter(Boolean);
  const gap = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  const groups = [...left, ...Array<string>(gap).fill("0"), ...right];
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":");
}
