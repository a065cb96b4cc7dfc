import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** A program that runs beside the server, in a process or a thread of its own. */
export interface Program {
  file: string;
  /** Not null where the file is TypeScript, as in tests and scripts: what Node has to load first. */
  loader: string | null;
}

/**
 * Where a program stands: its built file beside the server's bundle (see vite.config.ts), else the
 * source beside the module that starts it, which tsx reads.
 *
 * @param name such as `picture-program`.
 * @param startedBy the `import.meta.url` of that module.
 */
export function findProgram(name: string, startedBy: string): Program {
  const folder = path.dirname(fileURLToPath(startedBy));
  // The bundler may put that module into a folder of shared chunks.
  for (const parent of [folder, path.dirname(folder)]) {
    const built = path.join(parent, `${name}.js`);
    if (fs.existsSync(built)) return { file: built, loader: null };
  }
  const tsx = createRequire(import.meta.url).resolve("tsx");
  return { file: path.join(folder, `${name}.server.ts`), loader: pathToFileURL(tsx).href };
}
