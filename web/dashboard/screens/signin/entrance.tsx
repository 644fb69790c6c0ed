import type { ComponentChildren } from "preact";
import { Mark } from "../../../kit/icons";
import { house } from "../../app/house";
import { t } from "../../words/words";

/** The doors of the drawing, from the outermost to the light: the origin of each, in pixels of 560 by 800. */
const doors = [
	[40, 48],
	[69, 134],
	[98, 209],
	[128, 279],
	[158, 351],
	[187, 415],
	[217, 480],
] as const;

/** The frame of the signed-out screens: the form, and beside it the drawing of doors. */
export function Entrance({ children }: { readonly children: ComponentChildren }) {
	return (
		<div class="host-entrance">
			<div class="host-entrance-form">
				<div role="main">
					<p class="host-brand">
						<Mark height={39} />
						<bdi>{house.value?.name ?? t("dashboard")}</bdi>
					</p>
					{children}
				</div>
			</div>
			<svg class="host-doors" viewBox="0 0 560 800" preserveAspectRatio="xMidYMin slice" aria-hidden="true">
				{doors.map(([side, top]) => {
					const radius = 280 - side;
					return (
						<path
							key={side}
							d={`M${side} 1600V${top + radius}a${radius} ${radius} 0 0 1 ${2 * radius} 0v1600z`}
						/>
					);
				})}
			</svg>
		</div>
	);
}
