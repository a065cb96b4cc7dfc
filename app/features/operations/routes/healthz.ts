import { type CheckName, failingChecks } from "~/platform/health.server";
import { settings } from "~/platform/settings.server";
import { SITE_VERSION } from "~/platform/version.server";
import { replicaAgeSeconds, siteReplication } from "~db/replication.server";

const MESSAGES: Record<CheckName, string> = {
  database: "The database does not answer.",
  uploads: "The uploads folder cannot be written to.",
  copy: "The copy of the database is too old to be shown.",
};

/** For orchestrators: its version, and 200 when the site can work, else 503 with what is in the way. */
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

/** Litestream is told of, but does not count: without it the site works as well. */
function replication(): object {
  const { readOnlyFrom } = settings();
  if (readOnlyFrom) return { readOnlyFrom, dataAgeSeconds: replicaAgeSeconds() };
  const replication = siteReplication();
  return replication ? { litestream: replication.state } : {};
}
