// Bundles and runs the commands. Starting them with `node --import tsx` would take six times as long.
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { fingerprint, giveUp, isMadeFrom, root, siteFingerprint } from "./prepare.mjs";
import { keepFilesPrivate } from "./umask.mjs";

const COMMANDS = {
  backup: "scripts/backup.ts",
  "check-library": "scripts/check-library.ts",
  "create-user": "scripts/create-user.ts",
  "delete-user": "scripts/delete-user.ts",
  demo: "scripts/demo.ts",
  import: "scripts/import.ts",
  jobs: "scripts/jobs.ts",
  "move-storage": "scripts/storage/move-storage.ts",
  "refresh-reader": "scripts/refresh-reader.ts",
  restore: "scripts/restore.ts",
  "set-password": "scripts/set-password.ts",
  worker: "scripts/worker/worker.ts",
};
/** The programs that the commands start as processes or threads. `findExecutable` finds them next to the command. */
const PROGRAMS = {
  threads: "app/entry.threads.server.ts",
  "account-process": "app/features/accounts/account-process.server.ts",
  "backup-process": "app/features/operations/backups/backup-process.server.ts",
  "image-process": "app/media/images/image-process.server.ts",
};
/** The packages to bundle, because they consist of hundreds of files. All others are loaded from node_modules. */
const BUNDLED_PACKAGES = ["kysely", "execa", "zod"];
const FOLDER = path.join(root, "build", "commands");
const FINGERPRINT = path.join(FOLDER, "fingerprint");

/** Runs a command in this process. It reads its arguments from `process.argv`. */
export async function runCommand(name) {
  if (!Object.hasOwn(COMMANDS, name)) {
    giveUp(`Unknown command "${name ?? ""}". Commands: ${Object.keys(COMMANDS).join(", ")}.`);
  }
  await bundleCommands();
  keepFilesPrivate();
  await import(pathToFileURL(path.join(FOLDER, `${name}.js`)).href);
}

const sources = () => siteFingerprint() + fingerprint(["scripts"]);

export const commandsAreFresh = () => isMadeFrom(FINGERPRINT, sources());

/** Bundles the commands if their sources have changed. */
export async function bundleCommands() {
  const from = sources();
  if (isMadeFrom(FINGERPRINT, from)) return;
  const { outputFiles } = await (await loadEsbuild()).build({
    absWorkingDir: root,
    entryPoints: { ...COMMANDS, ...PROGRAMS },
    outdir: FOLDER,
    bundle: true,
    write: false,
    platform: "node",
    format: "esm",
    target: "node20",
    jsx: "automatic",
    external: packagesToImport(),
    // execa contains CommonJS code.
    banner: {
      js: 'import { createRequire as forFile } from "node:module"; const require = forFile(import.meta.url);',
    },
    logLevel: "warning",
  });
  fs.mkdirSync(FOLDER, { recursive: true });
  for (const { path: file, contents } of outputFiles) replaceFile(file, contents);
  replaceFile(FINGERPRINT, from);
}

async function loadEsbuild() {
  try {
    return await import("esbuild");
  } catch {
    return giveUp("The sources have changed since the last build. Run npm start or npm ci first.");
  }
}

function packagesToImport() {
  const { dependencies } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"));
  return Object.keys(dependencies).filter((name) => !BUNDLED_PACKAGES.includes(name));
}

/** Replaces a file atomically, because another command may be loading it. */
function replaceFile(file, contents) {
  const written = `${file}.${process.pid}`;
  fs.writeFileSync(written, contents);
  fs.renameSync(written, file);
}
