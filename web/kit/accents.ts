/** The colours that a house may choose its own of. */
export const accents = ["blue", "violet", "plum", "ruby", "copper", "olive", "green", "teal"] as const;

export type Accent = (typeof accents)[number];
