import { createHash, createHmac } from "node:crypto";

/** A CDN before the store, which gives files to those alone whose address the site has signed. */
export interface Cdn {
  /** Without a slash at its end. */
  origin: string;
  signing: CdnSigning;
  secret: string;
}

type CdnSigning = "nginx" | "bunny";

/**
 * An address of the CDN that can be read until a moment.
 *
 * @param path of the object from the root of the bucket, with a slash before it. Its letters are those of
 *   addresses, so that all write it alike.
 * @param expires in seconds since 1970.
 */
export function cdnAddress(
  { origin, signing, secret }: Cdn,
  path: string,
  expires: number,
): string {
  return `${origin}${path}?${SIGN[signing](path, expires, secret)}`;
}

const SIGN: Record<CdnSigning, (path: string, expires: number, secret: string) => string> = {
  /** As docs/nginx-cdn.conf asks ngx_http_secure_link_module for it, which knows MD5 alone. */
  nginx(path, expires, secret) {
    const md5 = createHash("md5").update(`${expires}${path} ${secret}`).digest("base64url");
    return `md5=${md5}&expires=${expires}`;
  },
  /** https://docs.bunny.net/cdn/security/token-authentication/advanced, without further conditions. */
  bunny(path, expires, secret) {
    const token = createHmac("sha256", secret).update(`${path}${expires}`).digest("base64url");
    return `token=HS256-${token}&expires=${expires}`;
  },
};
