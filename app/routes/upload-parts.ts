import { type ActionFunctionArgs, json, type LoaderFunctionArgs } from "@remix-run/node";
import { beginParts, partAddress, receiveParts } from "~/media/intake/store-parts.server";
import { UploadError } from "~/media/intake/upload-error.server";
import { StorageError } from "~/media/storage/object-store";
import { requireOwnOrigin } from "~/server/origin.server";
import { readFields } from "~/server/small-form.server";
import { requireUploader } from "~/studio/upload/upload-action.server";

/**
 * An upload, begun over tus, whose bytes the browser puts into the store: `intent` is `begin`, `address`
 * of the part `number`, or `receive` once all parts are there. Who may not is answered in a sentence.
 */
export async function action({ request, params }: ActionFunctionArgs) {
  const user = await requireUploader(request, "/admin/uploads/:id/parts");
  requireOwnOrigin(request);
  const form = await readFields(request);
  const id = params.id ?? "";
  try {
    switch (form.get("intent")) {
      case "begin":
        return json(await beginParts(user.id, id));
      case "address":
        return json({ address: await partAddress(user.id, id, Number(form.get("number"))) });
      case "receive":
        await receiveParts(user.id, id);
        return json({});
      default:
        throw new UploadError(400, "This is no way to send an upload.");
    }
  } catch (error) {
    if (error instanceof UploadError) throw plain(error.message, error.status);
    if (error instanceof StorageError) throw plain(error.message, 503);
    throw error;
  }
}

export async function loader({ request }: LoaderFunctionArgs): Promise<Response> {
  await requireUploader(request, "/admin/uploads/:id/parts");
  return new Response(null, { status: 405, headers: { Allow: "POST" } });
}

function plain(sentence: string, status: number): Response {
  const headers = { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" };
  return new Response(`${sentence}\n`, { status, headers });
}
