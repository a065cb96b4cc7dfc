import type { z } from "zod";
import { addressLimit } from "./address-limit.server";
import { clientAddress } from "./client-address.server";

/**
 * Forms of texts, as browsers send them by default. Multipart is not read here: 255 KB of empty parts
 * cost 224 ms of processor, and anybody may send a form to /contact.
 */
const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(;|$)/i;
/** What is open to visitors has a few short fields. */
const MAX_FORM_BYTES = 16 * 1024;
/** Five a second: a family behind one address never meets it. */
const FORMS_PER_ADDRESS = 300;
const WINDOW_SECONDS = 60;

const byAddress = addressLimit("forms by address", FORMS_PER_ADDRESS, WINDOW_SECONDS);

/**
 * The fields of a form that somebody fills in.
 *
 * @throws a Response: 429 after too many forms from one address, else as `readFields`.
 */
export async function readSmallForm(
  request: Request,
  mostBytes = MAX_FORM_BYTES,
): Promise<FormData> {
  const wait = byAddress.consume(clientAddress(request));
  if (wait !== undefined) {
    throw errorResponse(429, "Too Many Requests", "Too many forms. Try again in a minute.", {
      "Retry-After": String(wait),
    });
  }
  return readFields(request, mostBytes);
}

/**
 * The fields of a form without files, with an end to how much of it is read: `request.formData()`
 * would take gigabytes into memory from anybody.
 *
 * @throws a Response: 415 for what is no such form, 413 for one that is longer than `mostBytes`.
 */
export async function readFields(request: Request, mostBytes = MAX_FORM_BYTES): Promise<FormData> {
  if (!FORM_TYPE.test(request.headers.get("Content-Type") ?? "")) {
    throw errorResponse(415, "Unsupported Media Type", "A form of this type is not read here.");
  }
  const form = new FormData();
  for (const [name, value] of new URLSearchParams(await readText(request, mostBytes))) {
    form.append(name, value);
  }
  return form;
}

/** The fields of a form as a schema reads them, the last of each name; undefined for what it doesn't allow. */
export function readForm<Schema extends z.ZodType>(
  schema: Schema,
  form: FormData,
): z.output<Schema> | undefined {
  return schema.safeParse(Object.fromEntries(form)).data;
}

/**
 * The body of a request as text, at most so many bytes of it.
 *
 * @throws a 413 Response for one that is longer.
 */
export async function readText(request: Request, mostBytes: number): Promise<string> {
  if (Number(request.headers.get("Content-Length")) > mostBytes) throw tooLong();
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = request.body?.getReader();
  while (reader) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.byteLength;
    // Not cancelled: that would end the process (an error nobody hears). The closed connection does.
    if (length > mostBytes) throw tooLong();
    chunks.push(value);
  }
  return Buffer.concat(chunks).toString();
}

function tooLong(): Response {
  return errorResponse(413, "Payload Too Large", "This form is too long.");
}

/** The connection ends with it: what may still arrive belongs to a form that nobody reads. */
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
