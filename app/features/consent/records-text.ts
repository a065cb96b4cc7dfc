/** What the page of the keeper of records says. An operator may change these words; they are no legal advice. */
export const RECORDS_TEXT = {
  title: "Record keeping",
  lead: "Everyone shown in a video on this site was 18 or over when it was made.",
  kept: "Records that prove the age and the consent of the people shown are kept by:",
  inspection:
    "They are confidential. They are shown to authorities that the law entitles to see them, and to the person whom they are about.",
} as const;
