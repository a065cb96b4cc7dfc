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
 * Returns the built file of a program beside the server's bundle (see vite.config.ts), else its source, which tsx
 * reads.
 *
 * @param name such as `image-process`.
 * @param startedBy the `import.meta.url` of the module that starts it.
 * @param source relative to that module.
 */
export function findExecutable(
  name: string,
  startedBy: string,
  source = `./${name}.server.ts`,
): Program {
  const folder = path.dirname(fileURLToPath(startedBy));
  // The bundler may put that module into a folder of shared chunks.
  for (const parent of [folder, path.dirname(folder)]) {
    const built = path.join(parent, `${name}.js`);
    if (fs.existsSync(built)) return { file: built, loader: null };
  }
  const tsx = createRequire(import.meta.url).resolve("tsx");
  return { file: path.join(folder, source), loader: pathToFileURL(tsx).href };
}
