import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import proxyAddr from "proxy-addr";
import { requestContext } from "./node/request-context.server";
import { settings } from "./settings.server";

/**
 * Returns the IP address from which a request came, for in-memory limits. The address is never written anywhere. Behind
 * a proxy (PUBLIC_URL is set, and TRUSTED_PROXIES contains its address), it is the last entry of X-Forwarded-For that
 * isn't a trusted proxy: earlier entries may have been forged by the client. For an IPv6 address, it is the /64,
 * because that is what one customer gets.
 */
export function clientAddress(request: Request): string {
  const direct = requestContext()?.request.socket.remoteAddress;
  return networkBehind(request.headers.get("X-Forwarded-For") ?? "", direct);
}

/** Returns the client's address for Node's request, before the request reaches a route. */
export function clientAddressOf({ headers, socket }: IncomingMessage): string {
  return networkBehind(headers["x-forwarded-for"]?.toString() ?? "", socket.remoteAddress);
}

/**
 * Returns the network to which a request is attributed for limits. Undefined if a trusted proxy doesn't specify the
 * client's address, because the proxy's requests come from all visitors, who must not share one limit.
 */
export function limitedNetworkOf({ headers, socket }: IncomingMessage): string | undefined {
  const address = addressBehind(headers["x-forwarded-for"]?.toString() ?? "", socket.remoteAddress);
  return isTrustedProxy(address) ? undefined : networkOf(address);
}

/** Whether an address belongs to one of the operator's proxies (TRUSTED_PROXIES). */
export function isTrustedProxy(address: string): boolean {
  const ip = parseAddress(address);
  if (!ip) return false;
  return settings().trustedProxies.some(
    ([network, bits]) =>
      // The classes for both address families have this method, but their types don't share it.
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
  // A proxy may write "unknown" for its client. In that case, use the proxy's address.
  return chain.findLast((address) => address && parseAddress(address)) ?? "unknown";
}

/**
 * Parses an IP address, ignoring its port and zone, and converts an IPv4-mapped IPv6 address to IPv4; undefined if the
 * address is invalid. Some proxies add the client's port, which `proxy-addr` doesn't remove. ipaddr.js alone would also
 * accept numbers such as `10`.
 */
function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const withoutPort =
    /^\[(.+)\](?::\d+)?$/.exec(text.trim())?.[1] ?? text.trim().replace(/^([\d.]+):\d+$/, "$1");
  const [address = ""] = withoutPort.split("%", 1);
  return isIP(address) ? ipaddr.process(address) : undefined;
}

/**
 * Returns a wider network that contains a network returned by `networkOf`: the /24 of an IPv4 address, or the /48 of an
 * IPv6 address. One person may have a whole /48.
 */
export function widerNetwork(network: string): string {
  return network.includes(":")
    ? network.split(":").slice(0, 3).join(":")
    : network.replace(/\.\d+$/, "");
}

/**
 * Returns the network to which an address is attributed for limits: the address itself for IPv4, or its /64 for IPv6.
 */
export function networkOf(address: string): string {
  const ip = parseAddress(address);
  if (!ip) return address;
  if (!("parts" in ip)) return ip.toString();
  const groups = ip.parts.slice(0, 4);
  return groups.map((group) => group.toString(16)).join(":");
}
