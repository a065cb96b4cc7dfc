import { accounts } from "./baseline-accounts";
import { catalogue } from "./baseline-catalogue";
import { consent } from "./baseline-consent";
import { holds } from "./baseline-holds";
import { media } from "./baseline-media";
import { studio } from "./baseline-studio";
import { trust } from "./baseline-trust";

/**
 * The whole schema of an empty database. The types in db/schema list the values of kinds, states and reasons. Changing
 * a `CHECK` requires rebuilding the table, so only `videos.status`, which other tools write, has one.
 *
 * Version 0.2.0 was released with this migration, so it must never change.
 */
export const migration = {
  name: "1000-baseline",
  sql: [accounts, catalogue, media, studio, trust, consent, holds].join("\n"),
};
