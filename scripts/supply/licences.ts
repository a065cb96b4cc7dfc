// npm run licences: writes docs/licences.md from the lock file, and says which licence is on no list.
import fs from "node:fs";
import { licencesPage, refusedPackages } from "./licences-page";
import { lockedPackages } from "./packages";

const packages = lockedPackages();
fs.writeFileSync("docs/licences.md", licencesPage(packages));
const refused = refusedPackages(packages);
for (const line of refused) console.error(`Not on the list: ${line}`);
console.log(`docs/licences.md: ${packages.length} packages.`);
process.exitCode = refused.length > 0 ? 1 : 0;
