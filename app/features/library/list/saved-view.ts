/** An address of the list that a user has named. */
export interface SavedView {
  id: number;
  name: string;
  to: string;
}

/** Of one user. */
export const MAX_VIEWS = 20;
export const MAX_VIEW_NAME_LETTERS = 40;
