import fs from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import os from "node:os";
import path from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { packageOfServe } from "~/server/node/package-of-serve.server";
import { type Express, narrowStaticFolders } from "~/server/node/static-folders.server";

const express = packageOfServe<Express>("express");
const { static: filesOf } = express;

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "static-folders-"));
fs.mkdirSync(path.join(folder, "assets"));

afterEach(() => {
  express.static = filesOf;
});

it.each([
  ["/assets/site.css", true],
  ["/assets/nothing.js?v=1", true],
  ["/assets", true],
  ["/assets?v=1", true],
  ["/", false],
  ["/?page=2", false],
  ["/video/assets", false],
  ["/assetsx", false],
  ["//assets/site.css", false],
])("what the folder has a name for is looked for in it: %s %s", (url, isLookedFor) => {
  const files = vi.fn();
  express.static = () => files;
  narrowStaticFolders();
  const next = vi.fn();
  express.static(folder)({ url } as IncomingMessage, {} as ServerResponse, next);
  expect([files.mock.calls.length, next.mock.calls.length]).toEqual(isLookedFor ? [1, 0] : [0, 1]);
});

it("nothing is looked for in a folder that does not exist", () => {
  narrowStaticFolders();
  const next = vi.fn();
  const request = { url: "/robots.txt", method: "GET" } as IncomingMessage;
  express.static(path.join(folder, "public"))(request, {} as ServerResponse, next);
  // At once, and not after a look on the disk.
  expect(next).toHaveBeenCalledOnce();
});
