import { BlockList, isIP } from "node:net";
import { z } from "zod";

/** This machine, and the private networks in which containers and proxies of the same host reach the site. */
const PRIVATE_NETWORKS =
  "127.0.0.0/8, ::1, 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, fc00::/7, fe80::/10";

/** The setting that says who is a proxy of the operator's. */
export const PROXY_VARIABLES = {
  TRUSTED_PROXIES: {
    takes: "addresses and networks, separated by commas, such as 10.0.0.0/8, 2001:db8::/32",
    schema: z
      .string()
      .default(PRIVATE_NETWORKS)
      .transform((value, context) => {
        const networks = networksOf(value);
        if (networks) return networks;
        context.addIssue({ code: "custom" });
        return z.NEVER;
      }),
  },
} as const;

/** The networks of a list such as `10.0.0.0/8, ::1`; undefined when an entry is no network. */
function networksOf(value: string): BlockList | undefined {
  const networks = new BlockList();
  for (const entry of value.split(",").map((text) => text.trim())) {
    const [address = "", prefix, ...rest] = entry.split("/");
    const version = isIP(address);
    const bits = version === 4 ? 32 : 128;
    const length = prefix === undefined ? bits : Number(prefix);
    if (!version || rest.length > 0 || !/^\d{1,3}$/.test(prefix ?? "0") || length > bits) {
      return undefined;
    }
    networks.addSubnet(address, length, version === 4 ? "ipv4" : "ipv6");
  }
  return networks;
}
