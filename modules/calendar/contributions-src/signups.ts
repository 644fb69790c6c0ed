import { defineContribution } from "@narthex/sdk";
import { whoHearsOfService } from "../ui-src/signedup";

/** The tools of whoever moves or cancels a service, as far as this uses them. */
interface HangsTools {
	api(path: string, init?: RequestInit): Promise<Response>;
	readonly locale: string;
}

/** Says how many people have signed up for a service that is about to be moved or cancelled. */
export default defineContribution({
	hangs: (service: string, deed: "move" | "cancel", tools: HangsTools): Promise<string | undefined> =>
		whoHearsOfService(tools, service, deed),
});
