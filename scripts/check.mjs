// npm run check: what is worth knowing before each commit, in under a minute.
import { installPackages, requireNode, root, runPackage } from "./prepare.mjs";

requireNode();
process.chdir(root);
installPackages({ development: true });

const steps = [
  ["biome", ["check", "--error-on-warnings", "."]],
  ["tsc", []],
  ["vitest", ["run", "--config=tests/vitest.config.ts", "tests/unit"]],
];
const failed = steps.filter(([program, args]) => runPackage(program, args) !== 0);
process.exitCode = failed.length > 0 ? 1 : 0;
