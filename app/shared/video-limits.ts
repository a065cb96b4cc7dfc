/** What the texts of a video may hold; what its files may weigh are settings. */
export const MAX_TITLE_LETTERS = 200;
export const MAX_DESCRIPTION_LETTERS = 10_000;
export const MAX_TAGS = 50;
export const MAX_TAG_LETTERS = 60;
