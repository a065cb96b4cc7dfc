import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { z } from "zod";

/** This machine, and the private networks from which containers and proxies on the same host connect. */
const PRIVATE_NETWORKS =
  "127.0.0.0/8, ::1, 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, fc00::/7, fe80::/10";

/** The schema for TRUSTED_PROXIES. */
export const trustedProxies = z
  .string()
  .default(PRIVATE_NETWORKS)
  .transform((value, context) => {
    const networks = networksOf(value);
    if (networks) return networks;
    context.addIssue({ code: "custom" });
    return z.NEVER;
  })
  .describe("IP addresses and networks, separated by commas, such as 10.0.0.0/8, 2001:db8::/32");

type Network = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Returns the networks in a list such as `10.0.0.0/8, ::1`; undefined if an entry isn't a network. */
function networksOf(value: string): readonly Network[] | undefined {
  const networks = value.split(",").map((entry) => networkOf(entry.trim()));
  return networks.every((network) => network !== undefined) ? networks : undefined;
}

function networkOf(entry: string): Network | undefined {
  const [address = ""] = entry.split("/", 1);
  const version = isIP(address);
  // ipaddr.js alone would also accept numbers such as `10`.
  if (!version) return undefined;
  try {
    const [ip, bits] = ipaddr.parseCIDR(
      entry === address ? `${address}/${version === 4 ? 32 : 128}` : entry,
    );
    // Clients are compared by their IPv4 address, even if they connect through an IPv6 socket.
    const isMapped = "isIPv4MappedAddress" in ip && ip.isIPv4MappedAddress() && bits >= 96;
    return isMapped ? [ip.toIPv4Address(), bits - 96] : [ip, bits];
  } catch {
    return undefined;
  }
}
