import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { requestContext } from "./request-context.server";

/**
 * What another server or a decoder sends, as the body of a Response, at the pace of the client: it goes to
 * Node's response itself, as that of files does (body-writer.server.ts). Either side that ends early ends the
 * other, also when the client leaves before there is a source: nobody would read its body or cancel it.
 *
 * @param open returns the source; the signal is aborted when the client leaves before that.
 * @throws what `open` throws while the client waits.
 */
export async function streamBody(
  open: (signal: AbortSignal) => Promise<Readable>,
): Promise<ReadableStream<Uint8Array>> {
  const leaving = new AbortController();
  const response = requestContext()?.response;
  if (!response) return Readable.toWeb(await open(leaving.signal)) as ReadableStream<Uint8Array>;
  const hasLeft = () => response.closed || response.destroyed;
  const leave = () => leaving.abort();
  if (hasLeft()) return nothing();
  response.once("close", leave);
  let source: Readable;
  try {
    source = await open(leaving.signal);
  } catch (error) {
    if (hasLeft()) return nothing();
    throw error;
  } finally {
    response.off("close", leave);
  }
  source.once("error", () => response.destroy());
  const end = () => void source.destroy();
  if (hasLeft()) {
    end();
    return nothing();
  }
  // The client may leave before the body is asked for, and the source fail.
  response.once("close", end);
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          await pipeline(source, response, { end: false });
        } catch (error) {
          // A client that has left is no failure.
          if (!response.destroyed) throw error;
        } finally {
          response.off("close", end);
        }
        controller.close();
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
}

/** The body for a client that has left. */
function nothing(): ReadableStream<Uint8Array> {
  return new ReadableStream({ start: (controller) => controller.close() });
}
