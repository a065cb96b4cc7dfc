import { createHash } from "node:crypto";
import { ADMIN, type SiteProcess } from "./site-process";

const SCOPES = ["read", "upload", "edit", "publish", "delete"];

/** Adds an API token with all scopes to a site's first account. Returns the token. */
export function addToken(site: SiteProcess, token = "afterdark_of-a-test"): string {
  const hash = createHash("sha256").update(token).digest("hex");
  site
    .database()
    .prepare(
      `INSERT INTO api_tokens (token_hash, user_id, name, scopes, created_at, expires_at)
       SELECT ?, id, 'test', ?, '2020-01-01T00:00:00.000Z', '2100-01-01T00:00:00.000Z'
       FROM users WHERE email = ?`,
    )
    .run(hash, JSON.stringify(SCOPES), ADMIN.email);
  return token;
}
