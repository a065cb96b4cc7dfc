import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** An executable that runs in a separate process or thread. */
export interface Program {
  file: string;
  /** The module that Node has to load first if the file is TypeScript, as in tests and scripts; otherwise null. */
  loader: string | null;
}

/**
 * Returns the built file of an executable, which is next to the server bundle (see vite.config.ts). If there is none,
 * returns its source file, which tsx loads.
 *
 * @param name the executable's name, such as `image-process`.
 * @param startedBy the `import.meta.url` of the module that starts it.
 * @param source the source file's path relative to that module.
 */
export function findExecutable(
  name: string,
  startedBy: string,
  source = `./${name}.server.ts`,
): Program {
  const folder = path.dirname(fileURLToPath(startedBy));
  // The bundler may have moved that module into a folder of shared chunks.
  for (const parent of [folder, path.dirname(folder)]) {
    const built = path.join(parent, `${name}.js`);
    if (fs.existsSync(built)) return { file: built, loader: null };
  }
  const tsx = createRequire(import.meta.url).resolve("tsx");
  return { file: path.join(folder, source), loader: pathToFileURL(tsx).href };
}
