import type { LoaderFunctionArgs } from "@remix-run/node";
import { requirePermission } from "~/features/permissions/guard.server";
import { type ExportFormat, exportCatalogue } from "../import/export.server";
import { streamOf } from "../import/stream-of.server";

const TYPES: Record<string, { format: ExportFormat; type: string }> = {
  "catalogue.csv": { format: "csv", type: "text/csv; charset=utf-8" },
  "catalogue.json": { format: "json", type: "application/json" },
};

/** Exports the catalogue as a table. */
export async function loader({ request, params }: LoaderFunctionArgs) {
  await requirePermission(request, "/admin/import/:file");
  const file = params.file ?? "";
  const found = Object.hasOwn(TYPES, file) ? TYPES[file] : undefined;
  if (!found) throw new Response(null, { status: 404, statusText: "Not Found" });
  return new Response(streamOf(exportCatalogue(found.format)), {
    headers: {
      "Content-Type": found.type,
      "Content-Disposition": `attachment; filename="${file}"`,
      "Cache-Control": "no-store",
    },
  });
}
