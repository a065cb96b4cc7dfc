import type { LoaderFunctionArgs } from "@remix-run/node";
import { readMetrics, refuseMetrics } from "../monitoring/metrics.server";

/** For Prometheus: figures of the site in its text format, with METRICS_TOKEN or on this machine alone. */
export async function loader({ request }: LoaderFunctionArgs): Promise<Response> {
  const refused = refuseMetrics(request);
  if (refused) return refused;
  const { text, contentType } = await readMetrics();
  return new Response(text, {
    headers: { "Content-Type": contentType, "Cache-Control": "no-store" },
  });
}
