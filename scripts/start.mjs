// npm start: install what is missing, build when sources changed, serve.
// `--dev` serves with the development server instead; `--prepare` stops before serving.
import path from "node:path";
import { pathToFileURL } from "node:url";
import {
  build,
  buildIsFresh,
  giveUp,
  installPackages,
  requireNode,
  root,
  runPackage,
} from "./prepare.mjs";

requireNode();
process.chdir(root);
const development = process.argv.includes("--dev");

if (development) {
  installPackages({ development: true });
  process.exit(runPackage("remix", ["vite:dev", "--port", process.env.PORT || "3000"]));
}

installPackages({ development: !buildIsFresh() });
build();
if (process.argv.includes("--prepare")) process.exit(0);

process.env.NODE_ENV ||= "production";
// remix-serve takes any free port when PORT is unset, and 0 for an empty one.
process.env.PORT ||= "3000";
if (process.env.HOST === "") delete process.env.HOST;

process.on("uncaughtException", (error) => {
  if (error.code === "EADDRINUSE")
    giveUp(`Port ${process.env.PORT} is taken; set PORT to another.`);
  if (error.code === "EACCES" && error.syscall === "listen") {
    giveUp(`Port ${process.env.PORT} may not be used by this account; set PORT to one above 1023.`);
  }
  console.error(error);
  process.exit(1);
});

// In this very process, so that SIGTERM reaches the server. remix-serve reads its argument here.
process.argv[2] = path.join(root, "build", "server", "index.js");
await import(pathToFileURL(path.join(root, "node_modules/@remix-run/serve/dist/cli.js")).href);
