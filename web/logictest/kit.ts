/** What the tested parts of modules use of the kit, and what needs no page. */
export * from "../kit/house";
export * from "../kit/measure";
