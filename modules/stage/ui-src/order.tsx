import { Icon } from "@narthex/kit";
import type { Press } from "./api";
import { kindIcons, type Plan } from "./plan";
import type { Tools } from "./tools";

interface OrderProps {
	readonly tools: Tools;
	readonly plan: Plan;
	readonly at: number;
	/** Somebody else drives. */
	readonly off: boolean;
	press(press: Press): Promise<void>;
}

/** All items; a press on one moves there. */
export function Order({ tools: { say, minutes }, plan, at, off, press }: OrderProps) {
	return (
		<section class="order">
			<h2>{say("order")}</h2>
			<ol class="d-list">
				{plan.items.map((item, n) => (
					<li key={item.id}>
						<button
							type="button"
							aria-current={n === at ? "step" : undefined}
							aria-disabled={off || undefined}
							onClick={() => void (off || n === at || press({ action: "item", item: item.id }))}
						>
							<Icon name={kindIcons[item.kind]} size={16} />
							<bdi>{item.title}</bdi>
							{item.seconds > 0 && <span class="d-second">{minutes(item.seconds)}</span>}
						</button>
					</li>
				))}
			</ol>
		</section>
	);
}
