import type { Migration } from "../migrate.server";
import { jobsOf } from "./0200-baseline";

const KINDS =
  "'transcode', 'captions', 'poster', 'storyboard', 'preview', 'loudness', 'ladder', 'cleanup'";

/**
 * How loud a film is, and the job that measures it. The kinds of jobs are a CHECK, so their table is
 * made anew.
 */
export const migration: Migration = {
  name: "0204-loudness",
  sql: /* sql */ `
    -- LUFS (EBU R128) and dBTP of the sound; null until they are measured, -70 where there is none.
    ALTER TABLE videos ADD COLUMN loudness REAL;
    ALTER TABLE videos ADD COLUMN true_peak REAL;

    -- Renaming it would rename it in the triggers too.
    CREATE TEMP TABLE jobs_before AS SELECT * FROM jobs;
    DROP TABLE jobs;
    ${jobsOf(KINDS)}
    INSERT INTO jobs SELECT * FROM temp.jobs_before;
    DROP TABLE temp.jobs_before;
  `,
};
