// The baseline for the `downloads` benchmark: `sendFile` from the version of Express that remix-serve uses.
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const express = createRequire(require.resolve("@remix-run/serve/package.json"))("express");

const app = express();
app.get("/file", (_, response) => response.sendFile(process.argv[2]));
const server = app.listen(0, "127.0.0.1", () => console.log(server.address().port));
