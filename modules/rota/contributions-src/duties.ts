import { defineContribution } from "@narthex/sdk";
import { RotaApi } from "../ui-src/api";
import { wordsOf } from "../ui-src/words";

/** The tools of whoever moves or cancels a service, as far as this uses them. */
interface HangsTools {
	api(path: string, init?: RequestInit): Promise<Response>;
	readonly locale: string;
}

/** Says how many people were asked for a service that is about to be moved or cancelled. */
export default defineContribution({
	async hangs(service: string, deed: "move" | "cancel", tools: HangsTools): Promise<string | undefined> {
		const asked = await new RotaApi(tools).asked(service);
		if (!asked.ok) throw new Error(`who was asked: ${asked.why}`);
		const { yes, open, noAddress } = asked.value;
		const say = wordsOf(tools);
		if (yes + open === 0) return undefined;
		const who = say(yes > 0 ? "hangs.yes" : "hangs.open", { count: yes || open });
		const told = say(deed === "move" ? (yes > 0 ? "hangs.again" : "hangs.told") : "hangs.cancelled");
		return `${who} ${told}${noAddress === 0 ? "" : ` ${say("hangs.noAddress", { count: noAddress })}`}`;
	},
});
