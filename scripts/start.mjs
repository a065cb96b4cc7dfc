// npm start: installs missing packages, builds the site if its sources have changed, and serves it. `--dev` serves it
// with the development server. `--prepare` exits before serving.
import { spawnSync } from "node:child_process";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { bundleCommands, commandsAreFresh } from "./commands.mjs";
import {
  build,
  buildIsFresh,
  giveUp,
  installPackages,
  requireNode,
  root,
  runPackage,
} from "./prepare.mjs";
import { keepFilesPrivate } from "./umask.mjs";

requireNode();
process.chdir(root);
const development = process.argv.includes("--dev");

if (development) {
  installPackages({ development: true });
  process.exit(runPackage("remix", ["vite:dev", "--port", process.env.PORT || "3000"]));
}

const isFresh = buildIsFresh() && commandsAreFresh();
installPackages({ development: !isFresh });
if (!isFresh) {
  build();
  await bundleCommands();
}
if (process.argv.includes("--prepare")) process.exit(0);

keepFilesPrivate();
process.env.NODE_ENV ||= "production";
// remix-serve would use any free port if PORT isn't set, and port 0 if PORT is empty.
process.env.PORT ||= "3000";
if (process.env.HOST === "") delete process.env.HOST;

// A core dump would write visitors' data to the disk. Only the soft limit is set: to debug a crash, allow core dumps
// with `prlimit --core=unlimited: --pid N`. Without prlimit, nothing is changed.
spawnSync("prlimit", ["--core=0:", "--pid", String(process.pid)]);

process.on("uncaughtException", (error) => {
  const message = messageOf(error);
  if (message) giveUp(message);
  console.error(error);
  process.exit(1);
});

/** Returns the message to show if the site can't listen on the address; undefined for any other error. */
function messageOf({ code, syscall, hostname }) {
  const { PORT: port, HOST: host } = process.env;
  const wrongHost = `HOST is not an address of this machine (${host}). Set it to one of its addresses, such as 127.0.0.1, or leave it unset for all.`;
  if (syscall === "getaddrinfo" && hostname === host) return wrongHost;
  if (syscall !== "listen") return undefined;
  if (code === "EADDRINUSE") return `Port ${port} is already in use. Set PORT to another port.`;
  if (code === "EACCES") {
    return `This user isn't allowed to use port ${port}. Set PORT to a port above 1023.`;
  }
  return wrongHost;
}

// Run remix-serve in this process, so that SIGTERM reaches the server. remix-serve reads its argument from
// process.argv.
process.argv[2] = path.join(root, "build", "server", "index.js");
await import(pathToFileURL(path.join(root, "node_modules/@remix-run/serve/dist/cli.js")).href);
