import { Icon, iconNames } from "../kit/index";
import { Part } from "./part";

export function Icons() {
	return (
		<Part name="Icons">
			<ul class="icons">
				{iconNames.map((name) => (
					<li key={name}>
						<Icon name={name} />
						{name}
					</li>
				))}
			</ul>
		</Part>
	);
}
