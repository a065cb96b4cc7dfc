import type { Generated } from "kysely";

/** Texts that a user begins uploads with. */
export interface UploadTemplatesTable {
  id: Generated<number>;
  user_id: string;
  name: string;
  description: Generated<string>;
  /** An id, or empty. */
  category: Generated<string>;
  /** Separated by commas. */
  tags: Generated<string>;
  /** 1 for what the form begins with by itself. */
  is_default: Generated<0 | 1>;
  /** ISO 8601 UTC; null unless it can be restored. */
  deleted_at: string | null;
}

/** Addresses of the studio's list that a user has named. */
export interface SavedViewsTable {
  id: Generated<number>;
  user_id: string;
  /** Unique for its user, without regard to case. */
  name: string;
  /** Of the address, as `manageHref` writes them. */
  parameters: string;
}
