// Runs a command: node scripts/command.mjs NAME [ARGUMENTS]
import { runCommand } from "./commands.mjs";
import { requireNode } from "./prepare.mjs";

requireNode();
const [name] = process.argv.splice(2, 1);
await runCommand(name);
