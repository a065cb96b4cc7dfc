/** Returns the token from an Authorization header (RFC 6750 §2.1); undefined if there is none. */
export function bearerToken(authorization: string | null | undefined): string | undefined {
  return /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1];
}
