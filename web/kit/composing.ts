/**
 * Whether a key belongs to an input method, which composes Japanese, Chinese or Korean words from several
 * keys. Its Enter ends a word and must do nothing else. WebKit sends that Enter after the composition has
 * ended, and marks it only by its old code.
 */
export const isComposing = (event: KeyboardEvent): boolean => event.isComposing || event.keyCode === 229;
