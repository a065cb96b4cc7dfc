/** Options of a torture run. */
export interface TortureOptions {
  seed: string;
  /** The duration of the run. If it isn't set, the run stops after its usual number of inputs. */
  minutes?: number;
}

/** A description of each fault that a run has found, or an empty list if it hasn't found any. */
export type Faults = string[];
