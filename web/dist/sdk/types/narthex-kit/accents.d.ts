/** The colours from which a house may choose its own. */
export declare const accents: readonly ["blue", "violet", "plum", "ruby", "copper", "olive", "green", "teal"];
export type Accent = (typeof accents)[number];
