import fs from "node:fs";

/** Returns the memory limits that the Dockerfile sets for malloc and Node, as environment variables. */
export function imageEnvironment(): Record<string, string> & { NODE_OPTIONS: string } {
  const dockerfile = fs.readFileSync("Dockerfile", "utf8");
  const malloc = [...dockerfile.matchAll(/\b(MALLOC_\w+)=(\d+)/g)].map(([, name, value]) => [
    name,
    value,
  ]);
  const command = JSON.parse(dockerfile.match(/^CMD (\[.*\])$/m)?.[1] ?? "[]") as string[];
  const flags = command.filter((argument) => argument.startsWith("--"));
  return { ...Object.fromEntries(malloc), NODE_OPTIONS: flags.join(" ") };
}
