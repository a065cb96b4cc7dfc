/** Options of a torture run. */
export interface TortureOptions {
  seed: string;
  /** How long it runs; without it, the run stops after its usual number of inputs. */
  minutes?: number;
}

/** A description of each fault that a run found; empty if there are none. */
export type Faults = string[];
