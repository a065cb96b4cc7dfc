/** Cards that the page of saved videos asks for at once. */
export const SAVED_AT_ONCE = 24;
