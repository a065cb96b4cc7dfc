import { type CheckName, failingChecks } from "~/platform/health.server";
import { settings } from "~/platform/settings.server";
import { SITE_VERSION } from "~/platform/version.server";
import { replicaAgeSeconds, siteReplication } from "~db/replication.server";

const MESSAGES: Record<CheckName, string> = {
  database: "The database isn't responding.",
  uploads: "The uploads folder isn't writable.",
  copy: "The database replica is too far behind.",
};

/** Responds to health checks by orchestrators: with the version and status 200, or with 503 and the failing checks. */
export async function loader(): Promise<Response> {
  const failing = await failingChecks();
  const body = failing.length
    ? {
        status: "failing",
        version: SITE_VERSION,
        failing,
        reasons: failing.map((name) => MESSAGES[name]),
      }
    : { status: "ok", version: SITE_VERSION, ...replication() };
  return Response.json(body, {
    status: failing.length ? 503 : 200,
    headers: { "Cache-Control": "no-store" },
  });
}

/** Litestream's state is included, but doesn't affect the status, because the site works without it. */
function replication(): object {
  const { readOnlyFrom } = settings();
  if (readOnlyFrom) return { readOnlyFrom, dataAgeSeconds: replicaAgeSeconds() };
  const replication = siteReplication();
  return replication ? { litestream: replication.state } : {};
}
