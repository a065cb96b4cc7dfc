import type { LookupAddress } from "node:dns";
import { lookup } from "node:dns/promises";
import type { IncomingMessage } from "node:http";
import https from "node:https";
import { BlockList, isIP } from "node:net";
import { reserveDiskSpace } from "~/media/intake/disk-space.server";
import { type FileRule, type ReceivedFile, receiveFile } from "~/media/intake/received-file.server";
import { UploadError } from "~/media/intake/upload-error.server";
import { parseUrl } from "~/shared/addresses";

const MAX_REDIRECTS = 5;
const IDLE_MS = 60 * 1000;
/** Downloading 2 GiB over a 1 Mbit/s connection takes five hours. */
const WHOLE_MS = 6 * 60 * 60 * 1000;
const LONGEST_ADDRESS = 2_000;

/** The host name resolver and the check for allowed IP addresses. Tests replace both of them. */
export interface Network {
  lookup(hostname: string): Promise<LookupAddress[]>;
  isAllowed(address: string): boolean;
  /** The CA certificates to trust instead of the default ones. */
  ca?: string;
}

export const INTERNET: Network = {
  lookup: (hostname) => lookup(hostname, { all: true }),
  isAllowed: isPublicAddress,
};

interface DownloadOptions {
  /** The rules for the file, which are checked while it is being downloaded. */
  rule: FileRule;
  signal: AbortSignal;
  /** @param total undefined if the server doesn't send the length. */
  onProgress(bytes: number, total: number | undefined): void;
  network?: Network;
  /** The download is aborted if no data arrives for this long. */
  idleMs?: number;
}

/** @throws {UploadError} 422 if the text isn't a valid https URL. */
export function parseAddress(text: string): URL {
  const address = text.trim();
  const url = parseUrl(address);
  if (!url || Math.max(address.length, url.href.length) > LONGEST_ADDRESS)
    throw wrong("This isn't a valid URL.");
  if (url.protocol !== "https:") throw wrong("Only https:// URLs can be imported.");
  if (url.username || url.password) {
    throw wrong("URLs with a user name or password can't be imported.");
  }
  url.hash = "";
  return url;
}

/**
 * Downloads a file into `uploads/tmp`, within the limits for uploads. The host name is resolved once for each request,
 * and the connection uses exactly the resolved IP addresses, which prevents DNS rebinding. Each redirect is checked
 * against the same rules.
 *
 * @throws {UploadError} with the message to show, also if `signal` aborts it.
 */
export async function download(address: URL, options: DownloadOptions): Promise<ReceivedFile> {
  const { rule, onProgress } = options;
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(WHOLE_MS)]);
  let response: IncomingMessage | undefined;
  let room: Awaited<ReturnType<typeof reserveDiskSpace>> | undefined;
  try {
    const found = await follow(address, options, signal);
    response = found.response;
    const length = Number(response.headers["content-length"]);
    const total = Number.isSafeInteger(length) ? length : undefined;
    if (total !== undefined && total > rule.maxBytes) throw new UploadError(413, rule.tooLarge);
    const held = await reserveDiskSpace(total ?? rule.maxBytes);
    room = held;
    let bytes = 0;
    onProgress(bytes, total);
    const written = (length: number) => {
      held.written(length);
      bytes += length;
      onProgress(bytes, total);
    };
    const counted = { written, release: held.release };
    return await receiveFile(response, fileName(found.url), rule, undefined, counted);
  } catch (error) {
    throw messageFor(error, options.signal);
  } finally {
    room?.release();
    response?.destroy();
  }
}

async function follow(address: URL, options: DownloadOptions, signal: AbortSignal) {
  let url = address;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await get(url, options, signal);
    const { statusCode = 0, headers } = response;
    if (statusCode === 200) {
      if (!/^(identity)?$/i.test(headers["content-encoding"] ?? "")) {
        response.destroy();
        throw wrong("The server uses an unsupported content encoding.");
      }
      return { url, response };
    }
    response.destroy();
    if (![301, 302, 303, 307, 308].includes(statusCode) || !headers.location) {
      throw wrong(`The server returned status ${statusCode} instead of the file.`);
    }
    const next = parseUrl(headers.location, url);
    if (!next) throw wrong("The server's redirect doesn't contain a valid URL.");
    url = parseAddress(next.href);
  }
  throw wrong("The server redirected too many times.");
}

/** Sends one request over a new connection to an IP address that has already been checked. */
async function get(
  url: URL,
  { network = INTERNET, idleMs = IDLE_MS }: DownloadOptions,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const hostname = url.hostname.replace(/^\[|\]$/g, "");
  const family = isIP(hostname);
  const addresses = family ? [{ address: hostname, family }] : await network.lookup(hostname);
  if (!addresses.length || !addresses.every(({ address }) => network.isAllowed(address))) {
    throw wrong("This host isn't on the public internet.");
  }
  return new Promise((resolve, reject) => {
    const request = https.get(
      url,
      {
        agent: false,
        signal,
        ca: network.ca,
        timeout: idleMs,
        headers: { Accept: "video/*, */*;q=0.5", "Accept-Encoding": "identity" },
        lookup: (_hostname, { all }, found) => {
          const [first] = addresses;
          if (all) found(null, addresses);
          else found(null, first!.address, first!.family);
        },
      },
      resolve,
    );
    let answer: IncomingMessage | undefined;
    request.once("response", (response) => {
      answer = response;
    });
    // If the request were destroyed after the response has started, this would be reported as a lost connection.
    request.on("timeout", () =>
      (answer ?? request).destroy(wrong("The server stopped sending data.")),
    );
    request.on("error", reject);
  });
}

function fileName(url: URL): string {
  const last = url.pathname.split("/").at(-1) ?? "";
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

function wrong(message: string): UploadError {
  return new UploadError(422, message, "address");
}

function messageFor(error: unknown, canceled: AbortSignal): unknown {
  if (canceled.aborted) return wrong("The import was canceled.");
  if (error instanceof UploadError) return error;
  const { name, code = "" } = error as NodeJS.ErrnoException;
  if (name === "AbortError" || name === "TimeoutError") return wrong("The import took too long.");
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return wrong("Host not found.");
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|^ERR_TLS/.test(code)) {
    return wrong("The server's certificate is invalid.");
  }
  if (/^(E[A-Z]+|HPE_\w+|ERR_SSL\w*)$/.test(code)) return wrong("Couldn't reach the server.");
  return error;
}

/**
 * The IPv4 ranges that aren't on the public internet: those in the IANA special-purpose registry (RFC 6890 and its
 * successors), plus the multicast and reserved ranges.
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

/** The IPv6 range of global unicast addresses (RFC 4291), excluding tunnels and documentation ranges. */
const GLOBAL_UNICAST = "2000::/3";
const NOT_GLOBAL = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"];

const ipv4 = listOf("ipv4", NOT_PUBLIC);
const ipv6 = listOf("ipv6", [GLOBAL_UNICAST]);
const ipv6Exceptions = listOf("ipv6", NOT_GLOBAL);

/**
 * Returns whether an IP address is on the public internet, rather than on this machine, its network or its provider's
 * network. An IPv4 address embedded in an IPv6 address (mapped, NAT64, 6to4) never counts as public.
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
