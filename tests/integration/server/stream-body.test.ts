import { once } from "node:events";
import { createReadStream, type ReadStream, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { onRequestStart, requestContext } from "~/platform/node/request-context.server";
import { fileBody, streamBody } from "~/platform/node/stream-body.server";
import { countOpenDescriptors, until } from "../../process-figures";
import { useTemporarySite } from "../../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
let server: http.Server | undefined;
onRequestStart(() => {});
beforeEach(() => {
  site = useTemporarySite();
});
afterEach(async () => {
  server?.closeAllConnections();
  server?.close();
  await site.remove();
});

/** Starts a server that handles requests with `handle`, and sends a request to it. */
async function request(handle: () => Promise<void>) {
  const handled = new Promise<void>((resolve, reject) => {
    server = http.createServer(() => handle().then(resolve, reject));
  });
  server!.listen(0, "127.0.0.1");
  await once(server!, "listening");
  const { port } = server!.address() as AddressInfo;
  const client = http.get({ port, host: "127.0.0.1", agent: false }).on("error", () => {});
  return { client, handled };
}

describe("streamBody", () => {
  it("closes a file that is opened after the client has disconnected", async () => {
    const file = path.join(site.folder, "large");
    writeFileSync(file, Buffer.alloc(4 * 1024 * 1024));
    let started = () => {};
    const arrived = new Promise<void>((resolve) => {
      started = resolve;
    });
    let source: ReadStream | undefined;
    const { client, handled } = await request(async () => {
      await streamBody(async (signal) => {
        started();
        await once(signal, "abort");
        source = createReadStream(file);
        await once(source, "open");
        return source;
      });
    });
    await arrived;
    client.destroy();
    await handled;
    await until(() => source?.closed === true);
    expect(countOpenDescriptors(process.pid, file)).toBe(0);
  });

  it("aborts its source when the client disconnects, and ignores the resulting error", async () => {
    let started = () => {};
    const arrived = new Promise<void>((resolve) => {
      started = resolve;
    });
    let body: ReadableStream<Uint8Array> | undefined;
    const { client, handled } = await request(async () => {
      body = await streamBody(async (signal) => {
        started();
        await once(signal, "abort");
        throw new Error("The request was aborted.");
      });
    });
    await arrived;
    client.destroy();
    await handled;
    expect(await new Response(body).text()).toBe("");
  });

  it("rejects with the source's error while the client is waiting", async () => {
    const { handled } = await request(async () => {
      await streamBody(async () => {
        throw new Error("The store is unavailable.");
      });
    });
    await expect(handled).rejects.toThrow("The store is unavailable.");
  });

  it("works outside a server", async () => {
    const body = await streamBody(async () => Readable.from([Buffer.from("abc")]));
    expect(await new Response(body).text()).toBe("abc");
  });
});

describe("fileBody", () => {
  it("closes the connection and the file if the file has become shorter", async () => {
    const file = path.join(site.folder, "short");
    writeFileSync(file, Buffer.alloc(100_000));
    let failure: unknown;
    const { client } = await request(async () => {
      const { response } = requestContext()!;
      response.setHeader("Content-Length", 200_000);
      const body = fileBody(await open(file), 0, 200_000);
      failure = await body
        .getReader()
        .read()
        .catch((error: unknown) => error);
      response.destroy();
    });
    const [received] = (await once(client, "response")) as [http.IncomingMessage];
    await expect(received.toArray()).rejects.toThrow("aborted");
    expect(failure).toMatchObject({ message: "The file was truncated while it was being sent." });
    await until(() => countOpenDescriptors(process.pid, file) === 0);
  });

  it("closes the file if the client disconnected before the body was created", async () => {
    const file = path.join(site.folder, "left");
    writeFileSync(file, Buffer.alloc(100_000));
    let started = () => {};
    const arrived = new Promise<void>((resolve) => {
      started = resolve;
    });
    const { client, handled } = await request(async () => {
      const { response } = requestContext()!;
      started();
      await once(response, "close");
      fileBody(await open(file), 0, 100_000);
      await streamBody(async () => createReadStream(file));
    });
    await arrived;
    client.destroy();
    await handled;
    await until(() => countOpenDescriptors(process.pid, file) === 0);
  });
});
