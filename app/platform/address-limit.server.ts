import { type AttemptLimit, attemptLimit } from "./attempt-limit.server";
import { widerNetwork } from "./client-address.server";

/**
 * A /48 network may make this many times as many attempts as a single /64 network. An IPv6 customer often has a /48,
 * which contains 65,536 /64 networks.
 */
const NETWORKS_PER_CUSTOMER = 4;

/**
 * Limits the number of attempts from an address (see `attemptLimit`), and allows four times that number from a whole
 * IPv6 /48. Keys are addresses as returned by `clientAddress`.
 */
export function addressLimit(
  name: string,
  max: number,
  windowSeconds: number,
): Omit<AttemptLimit, "attempts"> {
  const byAddress = attemptLimit(name, max, windowSeconds);
  const customerMax = max * NETWORKS_PER_CUSTOMER;
  const byCustomer = attemptLimit(`${name} of a customer`, customerMax, windowSeconds);
  return {
    consume(address, now) {
      const customer = customerOf(address);
      const customerWait = customer && byCustomer.consume(customer, now);
      if (customerWait) return customerWait;
      const wait = byAddress.consume(address, now);
      if (wait !== undefined && customer) byCustomer.refund(customer);
      return wait;
    },
    refund(address) {
      const customer = customerOf(address);
      if (customer) byCustomer.refund(customer);
      byAddress.refund(address);
    },
    isExhausted(address, now) {
      const customer = customerOf(address);
      return (
        byAddress.isExhausted(address, now) ||
        (customer !== undefined && byCustomer.isExhausted(customer, now))
      );
    },
  };
}

/** Returns the /48 network of an IPv6 address, or undefined for an IPv4 address. */
function customerOf(address: string): string | undefined {
  return address.includes(":") ? widerNetwork(address) : undefined;
}
