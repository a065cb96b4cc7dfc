// npm start: install what is missing, build when sources changed, serve.
// `--dev` serves with the development server instead; `--prepare` stops before serving.
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
// remix-serve takes any free port when PORT is unset, and 0 for an empty one.
process.env.PORT ||= "3000";
if (process.env.HOST === "") delete process.env.HOST;

// A core dump would put on the disk what visitors have sent. Only the soft limit: who looks for the reason
// of a crash allows one again by `prlimit --core=unlimited: --pid N`. Without prlimit nothing is changed.
spawnSync("prlimit", ["--core=0:", "--pid", String(process.pid)]);

process.on("uncaughtException", (error) => {
  const message = messageOf(error);
  if (message) giveUp(message);
  console.error(error);
  process.exit(1);
});

/** What the operator can do about an address that the site cannot listen on. */
function messageOf({ code, syscall, hostname }) {
  const { PORT: port, HOST: host } = process.env;
  const otherHost = "set it to one of them, such as 127.0.0.1, or leave it unset for all";
  if (syscall === "getaddrinfo" && hostname === host) {
    return `HOST is not an address of this machine (${host}); ${otherHost}.`;
  }
  if (syscall !== "listen") return undefined;
  if (code === "EADDRINUSE") return `Port ${port} is taken; set PORT to another.`;
  if (code === "EACCES") {
    return `Port ${port} may not be used by this account; set PORT to one above 1023.`;
  }
  return `HOST is not an address of this machine (${host}); ${otherHost}.`;
}

// In this very process, so that SIGTERM reaches the server. remix-serve reads its argument here.
process.argv[2] = path.join(root, "build", "server", "index.js");
await import(pathToFileURL(path.join(root, "node_modules/@remix-run/serve/dist/cli.js")).href);
