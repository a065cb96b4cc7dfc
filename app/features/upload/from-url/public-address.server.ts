import { BlockList, isIP } from "node:net";

/**
 * What of the IPv4 addresses is not the public internet: the special-purpose registry of the IANA
 * (RFC 6890 and its successors), multicast and what is reserved.
 */
const NOT_PUBLIC = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/3",
];

/** The one block of IPv6 from which public addresses are given (RFC 4291), less what tunnels or documents. */
const GLOBAL_UNICAST = "2000::/3";
const NOT_GLOBAL = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"];

const ipv4 = listOf("ipv4", NOT_PUBLIC);
const ipv6 = listOf("ipv6", [GLOBAL_UNICAST]);
const ipv6Exceptions = listOf("ipv6", NOT_GLOBAL);

/**
 * Whether an IP address is one of the public internet: nothing of this machine, its network or its
 * provider. An IPv4 address in the clothes of IPv6 (mapped, NAT64, 6to4) never is.
 */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !ipv4.check(address, "ipv4");
  if (family !== 6 || address.includes("%")) return false;
  return ipv6.check(address, "ipv6") && !ipv6Exceptions.check(address, "ipv6");
}

function listOf(family: "ipv4" | "ipv6", networks: string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", bits] = network.split("/");
    list.addSubnet(address, Number(bits), family);
  }
  return list;
}
