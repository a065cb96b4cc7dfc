import { isIP } from "node:net";
import { siteIsHttps } from "~/platform/signed-cookie.server";
import { siteOrigin } from "~/platform/site-origin.server";

/** The site as an authenticator knows it (https://www.w3.org/TR/webauthn-3/#relying-party). */
export interface RelyingParty {
  /** The host name, by which passkeys are found again. */
  id: string;
  /** From which a browser may say that it asks. */
  origins: string[];
  /** Whether browsers offer passkeys here at all: over https or on this machine, not at a bare IP address. */
  isUsable: boolean;
}

/**
 * Of PUBLIC_URL, or else of the host that was asked for. A proxy that ends TLS may hide the scheme,
 * and browsers use passkeys over http on this machine alone: so https is taken for the rest.
 */
export function relyingParty(request: Request): RelyingParty {
  const { protocol, host, hostname } = new URL(siteOrigin(request));
  const isLocal = hostname === "localhost" || hostname.endsWith(".localhost");
  return {
    id: hostname,
    origins: [`https://${host}`, ...(isLocal && protocol === "http:" ? [`http://${host}`] : [])],
    isUsable: isIP(hostname.replace(/[[\]]/g, "")) === 0 && (isLocal || siteIsHttps()),
  };
}
