import type { Migration } from "../migrate.server";

/** The orders in which the desk and the figures read 100,000 reports. */
export const migration: Migration = {
  name: "0231-report-queue",
  sql: /* sql */ `
    CREATE INDEX reports_by_state ON reports (state, due_at, id);
    CREATE INDEX reports_by_state_kind ON reports (state, kind, due_at, id);
    CREATE INDEX reports_closed_by_kind ON reports (kind, closed_at, id) WHERE state = 'closed';
    CREATE INDEX reports_by_time ON reports (received_at, kind, state, decision, closed_at);
    CREATE INDEX moderation_log_by_action ON moderation_log (action, at);
  `,
};
