// npm run sbom [-- FILE]: what the site is made of, as CycloneDX, to standard output or into a file.
import fs from "node:fs";
import { sbomDocument } from "./sbom-document";

const text = `${JSON.stringify(sbomDocument(JSON.parse(fs.readFileSync("package.json", "utf8"))), null, 2)}\n`;
const [file] = process.argv.slice(2);
if (file) fs.writeFileSync(file, text);
else process.stdout.write(text);
