import { type Context, type Words, words } from "@narthex/sdk";
import { english } from "./english";
import { german } from "./german";

export type WordId = keyof typeof english;

export type Say = Words<WordId>;

export const wordsOf = (context: Pick<Context, "locale">): Say => words(context, { en: english, de: german });
