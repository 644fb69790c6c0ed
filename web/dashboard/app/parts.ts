/**
 * What the administration's script uses from the running page instead of a copy, by source file. The build
 * fills it in.
 */
export const parts: Readonly<Record<string, object>> = {};
