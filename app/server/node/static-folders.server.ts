import fs from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { packageOfServe } from "./package-of-serve.server";

type Handler = (request: IncomingMessage, response: ServerResponse, next: () => void) => unknown;

export interface Express {
  static(folder: string, options?: object): Handler;
}

/**
 * Keeps remix-serve from looking on the disk at every request, in the build's folder and in `public`, for a file of
 * that name: only names that stand in the folder at the start lead there. It asks Express for the files of a folder
 * when the server is made, which is after this build has been loaded.
 */
export function narrowStaticFolders(): void {
  const express = packageOfServe<Express>("express");
  const filesOf = express.static;
  express.static = (folder, options) => {
    const names = new Set(fs.existsSync(folder) ? fs.readdirSync(folder) : []);
    const files = filesOf(folder, options);
    return (request, response, next) => {
      const [, first = ""] = (request.url ?? "").split(/[/?]/, 2);
      return names.has(first) ? files(request, response, next) : next();
    };
  };
}
