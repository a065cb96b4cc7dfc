import { type CheckName, failingChecks } from "~/server/health.server";

const SENTENCES: Record<CheckName, string> = {
  database: "The database does not answer.",
  uploads: "The uploads folder cannot be written to.",
};

/** For orchestrators: 200 when the site can work, else 503 with what is in the way. */
export async function loader(): Promise<Response> {
  const failing = await failingChecks();
  const body = failing.length
    ? { status: "failing", failing, reasons: failing.map((name) => SENTENCES[name]) }
    : { status: "ok" };
  return Response.json(body, {
    status: failing.length ? 503 : 200,
    headers: { "Cache-Control": "no-store" },
  });
}
