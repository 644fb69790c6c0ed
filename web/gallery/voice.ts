import { Questions, Toasts } from "../kit/index";

/** What the gallery says and asks. */
export const toasts = new Toasts();
export const questions = new Questions();
export const say = (text: string) => toasts.show({ text, level: "polite" });
