import type { LoaderFunctionArgs } from "@remix-run/node";
import { readMetrics, refuseMetrics } from "../monitoring/metrics.server";

/** Serves the Prometheus metrics to requests that send METRICS_TOKEN or come from this machine. */
export async function loader({ request }: LoaderFunctionArgs): Promise<Response> {
  const refused = refuseMetrics(request);
  if (refused) return refused;
  const { text, contentType } = await readMetrics();
  return new Response(text, {
    headers: { "Content-Type": contentType, "Cache-Control": "no-store" },
  });
}
