import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { requestContext } from "./request-context.server";

/**
 * What another server sends, as the body of a Response, at the pace of the client: it goes to Node's
 * response itself, as that of files does (body-writer.server.ts). Either side that ends early ends the
 * other.
 */
export function streamBody(source: Readable): ReadableStream<Uint8Array> {
  const response = requestContext()?.response;
  if (!response) return Readable.toWeb(source) as ReadableStream<Uint8Array>;
  const end = () => void source.destroy();
  // The client may leave before the body is asked for, and the source fail.
  response.once("close", end);
  source.once("error", () => response.destroy());
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
