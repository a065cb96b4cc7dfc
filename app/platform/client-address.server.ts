import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import proxyAddr from "proxy-addr";
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
  return networkBehind(request.headers.get("X-Forwarded-For") ?? "", direct);
}

/** The same for Node's request, where no route has seen it yet. */
export function clientAddressOf({ headers, socket }: IncomingMessage): string {
  return networkBehind(headers["x-forwarded-for"]?.toString() ?? "", socket.remoteAddress);
}

/**
 * The network that a limit of a scarce resource counts a request by; undefined for a request of a trusted proxy
 * that doesn't name its client. Its requests are those of all visitors, who must not share one limit.
 */
export function limitedNetworkOf({ headers, socket }: IncomingMessage): string | undefined {
  const address = addressBehind(headers["x-forwarded-for"]?.toString() ?? "", socket.remoteAddress);
  return isTrustedProxy(address) ? undefined : networkOf(address);
}

/** Whether connections from this address are those of a proxy of the operator's (TRUSTED_PROXIES). */
export function isTrustedProxy(address: string): boolean {
  const ip = parseAddress(address);
  if (!ip) return false;
  return settings().trustedProxies.some(
    ([network, bits]) =>
      // Either family has the same method; their types have no common one.
      ip.kind() === network.kind() && (ip as ipaddr.IPv6).match(network as ipaddr.IPv6, bits),
  );
}

function networkBehind(forwardedFor: string, direct: string | undefined): string {
  return networkOf(addressBehind(forwardedFor, direct));
}

function addressBehind(forwardedFor: string, direct: string | undefined): string {
  const headers = { "x-forwarded-for": forwardedFor };
  const request = { headers, socket: { remoteAddress: direct } } as unknown as IncomingMessage;
  const isBehindProxy = settings().publicUrl !== undefined;
  const chain = proxyAddr.all(
    request,
    (address: string | undefined) =>
      isBehindProxy && (address === undefined || isTrustedProxy(address)),
  );
  // A proxy may write "unknown" for its client; then the proxy is what is known.
  return chain.findLast((address) => address && parseAddress(address)) ?? "unknown";
}

/**
 * Returns an IP address without its port and zone, an IPv4-mapped IPv6 address as IPv4; undefined if it is none.
 * Some proxies add the port of the client, which `proxy-addr` leaves to its callers. ipaddr.js alone would also read
 * numbers such as `10` as addresses.
 */
function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const withoutPort =
    /^\[(.+)\](?::\d+)?$/.exec(text.trim())?.[1] ?? text.trim().replace(/^([\d.]+):\d+$/, "$1");
  const [address = ""] = withoutPort.split("%", 1);
  return isIP(address) ? ipaddr.process(address) : undefined;
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
  const ip = parseAddress(address);
  if (!ip) return address;
  if (!("parts" in ip)) return ip.toString();
  const groups = ip.parts.slice(0, 4);
  return groups.map((group) => group.toString(16)).join(":");
}
