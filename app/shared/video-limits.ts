/** What the texts of a video may hold; what its files may weigh are settings. */
export const MAX_TITLE_LENGTH = 200;
export const MAX_DESCRIPTION_LENGTH = 10_000;
export const MAX_TAGS = 50;
export const MAX_TAG_LENGTH = 60;
