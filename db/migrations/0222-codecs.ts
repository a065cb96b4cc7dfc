import type { Migration } from "../migrate.server";
import { jobsOf } from "./0200-baseline";

const KINDS =
  "'transcode', 'captions', 'poster', 'storyboard', 'preview', 'loudness', 'ladder', 'cleanup', 'codecs'";

/**
 * The job that adds renditions in further codecs to a stream. The kinds of jobs are a CHECK, so their
 * table is made anew, with the index of 0209.
 */
export const migration: Migration = {
  name: "0222-codecs",
  sql: /* sql */ `
    -- Renaming it would rename it in the triggers too.
    CREATE TEMP TABLE jobs_before AS SELECT * FROM jobs;
    DROP TABLE jobs;
    ${jobsOf(KINDS)}
    CREATE INDEX jobs_waiting ON jobs (kind) WHERE state = 'waiting';
    INSERT INTO jobs SELECT * FROM temp.jobs_before;
    DROP TABLE temp.jobs_before;
  `,
};
