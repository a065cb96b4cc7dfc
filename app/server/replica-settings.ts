import { z } from "zod";

/** The settings of what keeps the database on further machines; all that they do is off by default. */
export const REPLICA_VARIABLES = {
  LITESTREAM: {
    takes: "auto, on or off",
    schema: z.enum(["auto", "on", "off"]).default("auto"),
  },
} as const;

type Parsed = {
  [Name in keyof typeof REPLICA_VARIABLES]: z.output<(typeof REPLICA_VARIABLES)[Name]["schema"]>;
};

/** The same under the names that the code knows them by. */
export function replicaSettings(parsed: Parsed) {
  return {
    /** Whether the log of the database is left to it; `auto`: once its tables are there. */
    litestream: parsed.LITESTREAM,
  };
}
