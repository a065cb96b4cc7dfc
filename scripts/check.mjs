// npm run check: runs the checks that should pass before each commit, in less than a minute.
import { installPackages, requireNode, root, runPackage, runPackageBeside } from "./prepare.mjs";

requireNode();
process.chdir(root);
installPackages({ development: true });

const others = [
  runPackageBeside("tsc", []),
  runPackageBeside("biome", ["check", "--error-on-warnings", "."]),
  runPackageBeside("knip", ["--no-progress"]),
];
// The unit tests also check the structure of the repository.
const vitest = ["run", "--config=tests/vitest.config.ts", "--project=rules"];
const status = runPackage("vitest", vitest);
const checks = await Promise.all(others);
for (const { output } of checks) process.stdout.write(output);
process.exitCode = status === 0 && checks.every(({ succeeded }) => succeeded) ? 0 : 1;
