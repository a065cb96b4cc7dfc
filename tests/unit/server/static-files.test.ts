import fs from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import os from "node:os";
import path from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { packageOfServe } from "~/platform/node/package-of-serve.server";
import { type Express, narrowStaticFiles } from "~/platform/node/static-files.server";

const express = packageOfServe<Express>("express");
const { static: serveFiles } = express;

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "static-files-"));
fs.mkdirSync(path.join(folder, "assets"));

afterEach(() => {
  express.static = serveFiles;
});

describe("static files", () => {
  it.each([["/assets/site.css"], ["/assets/nothing.js?v=1"], ["/assets"], ["/assets?v=1"]])(
    "are looked up for %s, because the folder contains its first segment",
    (url) => {
      expect(request(url)).toEqual({ lookups: 1, passedOn: 0 });
    },
  );

  it.each([["/"], ["/?page=2"], ["/video/assets"], ["/assetsx"], ["//assets/site.css"]])(
    "aren't looked up for %s",
    (url) => {
      expect(request(url)).toEqual({ lookups: 0, passedOn: 1 });
    },
  );

  it("aren't looked up in a folder that doesn't exist", () => {
    narrowStaticFiles();
    const next = vi.fn();
    const incoming = { url: "/robots.txt", method: "GET" } as IncomingMessage;
    express.static(path.join(folder, "public"))(incoming, {} as ServerResponse, next);
    // Express's static middleware would call `next` only after an asynchronous lookup.
    expect(next).toHaveBeenCalledOnce();
  });
});

function request(url: string): { lookups: number; passedOn: number } {
  const lookup = vi.fn();
  express.static = () => lookup;
  narrowStaticFiles();
  const next = vi.fn();
  express.static(folder)({ url } as IncomingMessage, {} as ServerResponse, next);
  return { lookups: lookup.mock.calls.length, passedOn: next.mock.calls.length };
}
