/** A form of texts: the longest description there is, with room for the rest. */
const MOST_FORM_BYTES = 256 * 1024;

/**
 * The fields of a form without files, with an end to how much of it is read: `request.formData()`
 * would take gigabytes into memory from anybody.
 *
 * @throws a 413 Response for one that is longer, a 400 Response for what is no form.
 */
export async function readSmallForm(request: Request, most = MOST_FORM_BYTES): Promise<FormData> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  if (Number(request.headers.get("Content-Length")) > most) throw tooLong();
  const reader = request.body?.getReader();
  while (reader) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.byteLength;
    // Not cancelled: that would end the process (an error nobody hears). The closed connection does.
    if (length > most) throw tooLong();
    chunks.push(value);
  }
  try {
    const type = request.headers.get("Content-Type") ?? "";
    return await new Response(Buffer.concat(chunks), {
      headers: { "Content-Type": type },
    }).formData();
  } catch {
    throw new Response("This form could not be read.", { status: 400, statusText: "Bad Request" });
  }
}

function tooLong(): Response {
  return new Response("This form is too long.", {
    status: 413,
    statusText: "Payload Too Large",
    headers: { Connection: "close" },
  });
}
