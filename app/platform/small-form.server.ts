import type { z } from "zod";
import { addressLimit } from "./address-limit.server";
import { clientAddress } from "./client-address.server";

/**
 * The default encoding for forms. Multipart forms aren't accepted here, because 255 KB of empty parts takes 224 ms of
 * CPU time, and anyone may send a form to /contact.
 */
const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(;|$)/i;
/**
 * The maximum size, which is enough for the forms that are open to visitors, because they have only a few short fields.
 */
const MAX_FORM_BYTES = 16 * 1024;
/** The maximum number of forms per address: five per second, which a family behind one address never reaches. */
const FORMS_PER_ADDRESS = 300;
const WINDOW_SECONDS = 60;

const byAddress = addressLimit("forms by address", FORMS_PER_ADDRESS, WINDOW_SECONDS);

/**
 * Returns the fields of a form that a person has filled in.
 *
 * @throws a Response: 429 after too many forms from one address; otherwise, the same as `readFields`.
 */
export async function readSmallForm(
  request: Request,
  maxBytes = MAX_FORM_BYTES,
): Promise<FormData> {
  const wait = byAddress.consume(clientAddress(request));
  if (wait !== undefined) {
    throw errorResponse(429, "Too Many Requests", "Too many requests. Try again in a minute.", {
      "Retry-After": String(wait),
    });
  }
  return readFields(request, maxBytes);
}

/**
 * Returns the fields of a form without files. Unlike `request.formData()`, which would read gigabytes into memory, it
 * limits the form's size.
 *
 * @throws a Response: 415 for another content type, 413 if the form is longer than `maxBytes`.
 */
export async function readFields(request: Request, maxBytes = MAX_FORM_BYTES): Promise<FormData> {
  if (!FORM_TYPE.test(request.headers.get("Content-Type") ?? "")) {
    throw errorResponse(415, "Unsupported Media Type", "This content type isn’t supported.");
  }
  const form = new FormData();
  for (const [name, value] of new URLSearchParams(await readText(request, maxBytes))) {
    form.append(name, value);
  }
  return form;
}

/** Parses a form with a schema, using the last field with each name; undefined if the form is invalid. */
export function readForm<Schema extends z.ZodType>(
  schema: Schema,
  form: FormData,
): z.output<Schema> | undefined {
  return schema.safeParse(Object.fromEntries(form)).data;
}

/**
 * Returns a request's body as text.
 *
 * @throws a 413 Response if it is longer than `maxBytes`.
 */
export async function readText(request: Request, maxBytes: number): Promise<string> {
  if (Number(request.headers.get("Content-Length")) > maxBytes) throw tooLong();
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = request.body?.getReader();
  while (reader) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.byteLength;
    // Don't cancel the reader, because its unhandled error would end the process. Closing the connection is enough.
    if (length > maxBytes) throw tooLong();
    chunks.push(value);
  }
  return Buffer.concat(chunks).toString();
}

function tooLong(): Response {
  return errorResponse(413, "Payload Too Large", "The form data is too large.");
}

/** Returns a response that closes the connection, because the rest of the form isn't read. */
function errorResponse(
  status: number,
  statusText: string,
  message: string,
  headers: Record<string, string> = {},
): Response {
  return new Response(message, {
    status,
    statusText,
    headers: { Connection: "close", ...headers },
  });
}
