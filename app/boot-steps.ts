/** A step of the start. */
export interface BootStep {
  name: string;
  /** Names of earlier steps that this one needs. A unit test checks the order. */
  after?: readonly string[];
  run(): unknown;
}

/** Runs the steps in their order, each when the one before it is over. */
export async function runSteps(steps: readonly BootStep[]): Promise<void> {
  for (const { run } of steps) {
    const running = run();
    // Steps that return at once follow each other without a pause, in which others could run.
    if (running instanceof Promise) await running;
  }
}
