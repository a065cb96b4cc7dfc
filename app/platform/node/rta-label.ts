/** https://www.rtalabel.org: the label that filters of parents look for, on pages and on media. */
export const RTA_LABEL = "RTA-5042-1996-1400-1577-RTA";
