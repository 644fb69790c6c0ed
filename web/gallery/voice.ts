import { Questions, Toasts } from "../kit/index";

/** The gallery's toasts and questions. */
export const toasts = new Toasts();
export const questions = new Questions();
export const say = (text: string) => toasts.show({ text, level: "polite" });
