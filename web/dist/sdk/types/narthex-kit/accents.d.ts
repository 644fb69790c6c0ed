/** The colours that a house may choose its own of. */
export declare const accents: readonly ["blue", "violet", "plum", "ruby", "copper", "olive", "green", "teal"];
export type Accent = (typeof accents)[number];
