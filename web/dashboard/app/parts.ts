/**
 * What the administration's script takes from the running page instead of bringing it again, by the file it
 * is in. The build fills it in.
 */
export const parts: Readonly<Record<string, object>> = {};
