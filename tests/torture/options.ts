/** How a run of torture is asked for. */
export interface TortureOptions {
  seed: string;
  /** For how long, where it is not to stop after its usual number of inputs. */
  minutes?: number;
}

/** What a run has found: a sentence for each fault, none when all is well. */
export type Faults = string[];
