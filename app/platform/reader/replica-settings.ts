import { z } from "zod";
import { lengthOfTime, origin, UNIT_MS } from "../settings/setting-rules";

/** The settings of what keeps the database on further machines; all that they do is off by default. */
export const REPLICA_VARIABLES = {
  LITESTREAM: {
    takes: "auto, on or off",
    schema: z.enum(["auto", "on", "off"]).default("auto"),
  },
  READ_ONLY_FROM: {
    takes: "the address of the site that writes, without a path, such as https://videos.example",
    schema: origin.optional(),
  },
  READ_ONLY_MAX_AGE: {
    takes: "a length of time from 1m to 52w, such as 6h",
    schema: lengthOfTime(UNIT_MS.m, 52 * UNIT_MS.w).default(6 * UNIT_MS.h),
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
    /** The site whose copy this one shows, an origin. Undefined: it is a site of its own. */
    readOnlyFrom: parsed.READ_ONLY_FROM,
    /** Older copies are not shown. */
    readOnlyMaxAgeMs: parsed.READ_ONLY_MAX_AGE,
  };
}
