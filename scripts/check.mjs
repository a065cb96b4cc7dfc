// npm run check: what is worth knowing before each commit, in under a minute.
import { installPackages, requireNode, root, runPackage, runPackageBeside } from "./prepare.mjs";

requireNode();
process.chdir(root);
installPackages({ development: true });

const beside = [
  runPackageBeside("tsc", []),
  runPackageBeside("biome", ["check", "--error-on-warnings", "."]),
  runPackageBeside("knip", ["--no-progress"]),
];
// The structure of the tree is one of the unit tests.
const vitest = ["run", "--config=tests/vitest.config.ts", "--project=rules"];
const status = runPackage("vitest", vitest);
const checks = await Promise.all(beside);
for (const { output } of checks) process.stdout.write(output);
process.exitCode = status === 0 && checks.every(({ succeeded }) => succeeded) ? 0 : 1;
