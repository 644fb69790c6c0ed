/** The colours from which a house may choose its own. */
export const accents = ["blue", "violet", "plum", "ruby", "copper", "olive", "green", "teal"] as const;

export type Accent = (typeof accents)[number];
