// The comparison of the benchmark "downloads": Express with its own file sender, and nothing else.
// It is the very Express that remix-serve runs on.
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const express = createRequire(require.resolve("@remix-run/serve/package.json"))("express");

const app = express();
app.get("/file", (_, response) => response.sendFile(process.argv[2]));
const server = app.listen(0, "127.0.0.1", () => console.log(server.address().port));
