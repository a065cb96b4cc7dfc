/** A video that is fetched from an address, as the page shows it. */
export interface Download {
  id: number;
  address: string;
  title: string;
  state: "waiting" | "running" | "done" | "failed" | "cancelled";
  /** Why it failed. */
  reason?: string;
  videoId?: string;
  /** Of the one that is running. */
  progress?: { bytes: number; total?: number };
}
